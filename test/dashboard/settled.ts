// When a view has what it shows: nothing is loading in it, and nothing of it moves any more.
import type { Frame, Page } from "playwright-core";

export async function settled(page: Page | Frame): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
  await page.evaluate(async () => {
    const turning = (animation: Animation) => animation.effect?.getComputedTiming().iterations === Infinity;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    await frame();
    await Promise.allSettled(
      document
        .getAnimations()
        .filter((each) => !turning(each))
        .map((each) => each.finished),
    );
  });
}

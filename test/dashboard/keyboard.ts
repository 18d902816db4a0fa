// A person without a pointer: Tab until what they look for has the focus, told by its name as a screen reader tells it.
import type { Page } from "playwright-core";

const maxTabs = 80;

/** The role and the name of what has the focus. */
async function tellFocus(page: Page): Promise<string> {
  const focused = page.locator(":focus");
  if ((await focused.count()) === 0) return "nothing";
  const [line = ""] = (await focused.ariaSnapshot()).split("\n");
  return line.replace(/^- /, "");
}

/** Throws where Tab does not lead there. */
export async function tabTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const seen: string[] = [];
  for (let tabs = 0; tabs < maxTabs; tabs += 1) {
    const focus = await tellFocus(page);
    if (name.test(focus)) return;
    seen.push(focus);
    await page.keyboard.press(key);
  }
  throw new Error(`expected ${key} to lead to ${name.source}, found: ${seen.join(", ")}`);
}

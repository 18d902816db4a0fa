// What somebody does in a view without meaning anything: everything is unfolded, scrolled past, pointed at and passed by Tab. Meanwhile the page
// is watched for elements that only a text of somebody else could have brought into it.
import type { Page } from "playwright-core";
import { opening } from "./hostile-text.ts";

/** Runs before anything of the page, and tells of each such element at once, however short it is there. */
export const watchElements = `
  const elements = "iframe,frame,frameset,object,embed,applet,portal,base,meta[http-equiv],math,form[action],a[ping],foreignObject," +
    "animate,set,video,audio,source,track,marquee,template,slot,style,[srcdoc],[formaction],[contenteditable],[popover]";
  const addresses = ["href", "xlink:href", "src", "action", "data", "srcset", "poster", "background"];
  const judge = (element) => {
    const wrong = (what) => console.error("brought into the page: " + what + " of " + element.outerHTML.slice(0, 200));
    if (element.matches(elements)) wrong("an element");
    if (element.localName === "script" && !element.src.startsWith(location.origin + "/ui/")) wrong("a script");
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) wrong("a handler");
      if (addresses.includes(name) && element.localName !== "use" && value !== "data:,") {
        const { protocol, origin } = new URL(value, location.href);
        const opens = element.localName === "a" && ["http:", "https:", "mailto:"].includes(protocol);
        if (!opens && origin !== location.origin) wrong("an address");
      }
    }
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "attributes") judge(target);
      for (const node of addedNodes) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        judge(node);
        node.querySelectorAll("*").forEach(judge);
      }
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
`;

const maxOpened = 40;
const maxTabs = 25;
const gridSteps = 8;

/** Nothing of it decides, sends or deletes. */
export async function lookAround(page: Page): Promise<void> {
  await page.evaluate((most) => {
    const folded = document.querySelectorAll<HTMLElement>("details:not([open]) > summary, main [aria-expanded=false]");
    [...folded].slice(0, most).forEach((each) => each.click());
  }, maxOpened);
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const inner = [...document.querySelectorAll("main *")].filter((each) => each.scrollHeight > each.clientHeight + 40);
    const scrolls = [document.scrollingElement, ...inner].filter((each) => each !== null).slice(0, 12);
    for (const each of scrolls) {
      const step = Math.max(200, each.clientHeight * 0.8, each.scrollHeight / 30);
      for (let top = 0; top < each.scrollHeight; top += step) {
        each.scrollTop = top;
        await frame();
      }
      each.scrollTop = 0;
    }
  });
  const { width, height } = page.viewportSize() ?? { width: 1440, height: 900 };
  for (let row = 1; row < gridSteps; row += 1) {
    await page.mouse.move(0, (row * height) / gridSteps);
    await page.mouse.move(width, (row * height) / gridSteps, { steps: gridSteps });
  }
  for (let tabs = 0; tabs < maxTabs; tabs += 1) await page.keyboard.press("Tab");
}

/** What stands in the page or in its fields, without white space, which views set as they like. */
const readText = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const fields = document.querySelectorAll<HTMLInputElement>("input, textarea");
    const values = [...fields].flatMap(({ value, placeholder }) => [value, placeholder]);
    return [document.body.textContent, ...values].join(" ").replaceAll(/\s/g, "");
  });

/** The fields of the corpus that are not shown as text, though there was time for it. */
export async function findMissing(page: Page, fields: readonly string[], patienceMs = 8_000): Promise<string[]> {
  let missing = [...fields];
  for (let waitedMs = 0; missing.length > 0 && waitedMs < patienceMs; waitedMs += 200) {
    if (waitedMs > 0) await page.waitForTimeout(200);
    const text = await readText(page);
    missing = missing.filter((field) => !text.includes(opening(field).replaceAll(/\s/g, "")));
  }
  return missing;
}

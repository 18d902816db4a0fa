// `j` and `k`: the focus to the next or the previous row of the view's table; to the first where it is in none.
const rowLinks = "main a.whole-row";

/** Whether there was a row to go to. */
export function moveInList(key: "j" | "k"): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(rowLinks)].filter((row) => row.offsetParent !== null);
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + (key === "j" ? 1 : -1)));
  rows[next]?.focus();
  return rows.length > 0;
}

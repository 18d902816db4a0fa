// How the status page looks: its colours, light and dark, and the rules that use them. Every text colour has a contrast
// of at least 4.5 on both backgrounds (WCAG 2.2, 1.4.3); a test computes it from the page that is served.

interface Palette {
  background: string;
  /** Of table heads. */
  surface: string;
  text: string;
  muted: string;
  link: string;
  ok: string;
  degraded: string;
  error: string;
  border: string;
}

const light: Palette = {
  background: "#ffffff",
  surface: "#f3f5f7",
  text: "#1b1f24",
  muted: "#4f5861",
  link: "#0550ae",
  ok: "#116329",
  degraded: "#7a4b00",
  error: "#a40e26",
  border: "#767e87",
};
const dark: Palette = {
  background: "#0d1117",
  surface: "#1a212a",
  text: "#e6edf3",
  muted: "#a9b3be",
  link: "#79b8ff",
  ok: "#56d364",
  degraded: "#e3b341",
  error: "#ff8e86",
  border: "#767e87",
};

const renderVariables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";");

export const style = `
:root{color-scheme:light dark;${renderVariables(light)}}
@media (prefers-color-scheme:dark){:root{${renderVariables(dark)}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:80rem;padding:1rem;background:var(--background);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
a{color:var(--link)}
a:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100rem}
.skip:focus{position:static}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0}
h1{font-size:1.6rem;margin:.5rem 0}
h2{font-size:1.25rem;margin:2rem 0 .25rem}
.muted,footer{color:var(--muted)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
caption{text-align:left;color:var(--muted);padding:.25rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem .5rem;border-bottom:1px solid var(--border)}
thead th{background:var(--surface);white-space:nowrap}
tbody th{font-weight:600}
th code{font-weight:400}
code{font-size:.875em;overflow-wrap:anywhere}
.ok{color:var(--ok)}
.degraded{color:var(--degraded)}
.error{color:var(--error)}
`;

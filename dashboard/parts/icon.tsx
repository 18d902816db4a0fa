// The pictures of the page: sixteen pixels square, drawn by lines, in the colour of the text beside them. They never stand without a word.
import type { JSX } from "preact";

const shapes = {
  agents: (
    <path d="M4.5 3h7a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2ZM5.5 14h5M8 11v3M6 6.5v1M10 6.5v1" />
  ),
  approvals: <path d="M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2ZM6.3 5.8v4.4M9.7 5.8v4.4" />,
  servers: (
    <path d="M3.5 2.5h9a1 1 0 0 1 1 1V6a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V3.500a1 1 0 0 1 1-1ZM3.5 9h9a1 1 0 0 1 1 1v2.500a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1ZM5 4.750h.01M5 11.250h.01" />
  ),
  search: <path d="M7 2.500a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.5 10.500l3 3" />,
  tester: (
    <path d="M6 2.500v4L2.8 12a1 1 0 0 0 .9 1.500h8.600a1 1 0 0 0 .9-1.500L10 6.500v-4M5 2.500h6M4.6 9.500h6.8" />
  ),
  policies: <path d="M8 1.8 3 3.600v4c0 3.2 2.1 5.4 5 6.6 2.9-1.2 5-3.4 5-6.600v-4L8 1.800Z" />,
  calls: <path d="M2.5 13.500h11M4 11V8M7 11V4M10 11V6.500M13 11V9" />,
  directory: <path d="M3.5 2.500h8a1 1 0 0 1 1 1v10h-8a1 1 0 0 1-1-1v-10ZM6 6h4M6 9h4" />,
  more: <path d="M3 8h.01M8 8h.01M13 8h.01" stroke-width="2.4" />,
  ready: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  degraded: <path d="M8 2.5 14 13H2L8 2.500ZM8 6.500v3M8 11.200h.01" />,
  error: <path d="M5.5 2.500h5l3 3v5l-3 3h-5l-3-3v-5l3-3ZM6 6l4 4M10 6l-4 4" />,
  starting: (
    <>
      <circle cx="8" cy="8" r="5" />
      <path d="M8 3a5 5 0 0 1 0 10Z" fill="currentColor" stroke="none" />
    </>
  ),
  off: <circle cx="8" cy="8" r="5" />,
  ring: <path d="M8 2.500a5.5 5.5 0 1 1-5.5 5.5" />,
  check: <path d="m3.5 8.5 3 3 6-7" />,
  cross: <path d="m4 4 8 8M12 4l-8 8" />,
  down: <path d="m4 6 4 4 4-4" />,
  up: <path d="m4 10 4-4 4 4" />,
  right: <path d="m6 4 4 4-4 4" />,
  back: <path d="m10 4-4 4 4 4" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" />,
  picture: (
    <path d="M3.5 3h9a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM3 11l3-3 2.5 2.500L11 8l2.5 2.500M6 6h.01" />
  ),
  copy: <path d="M6.5 5.500h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1ZM10.5 5.500v-3h-8v8h3" />,
  plus: <path d="M8 3v10M3 8h10" />,
  clock: <path d="M8 2.500a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3l2 1.5" />,
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.500a5.5 5.5 0 0 1 0 11Z" fill="currentColor" stroke="none" />
    </>
  ),
  pallas: (
    <path d="M2.5 2.500c1.5 1 3 1.5 5.5 1.500s4-.5 5.5-1.500v6a5.5 5.5 0 0 1-11 0v-6ZM5.5 6.300a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.800ZM10.5 6.300a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.800ZM8 9l-.7 1.300h1.400L8 9Z" />
  ),
} as const satisfies Record<string, JSX.Element>;

export type IconName = keyof typeof shapes;

/** Hidden from screen readers: the word beside it says what it means. */
export const Icon = ({ name, class: extra = "" }: { name: IconName; class?: string }) => (
  <svg class={`icon ${extra}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    {shapes[name]}
  </svg>
);

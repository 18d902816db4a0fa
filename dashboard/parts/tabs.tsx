// Tabs of a view, each a link of its own, so that each has an address.
export interface Tab {
  href: string;
  word: string;
  count?: number | undefined;
  isCurrent: boolean;
}

export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, word, count, isCurrent }) => (
      <a key={href} href={href} {...(isCurrent && { "aria-current": "page" as const })}>
        {word}
        {count !== undefined && <span class="tabular third"> {count.toLocaleString("en")}</span>}
      </a>
    ))}
  </nav>
);

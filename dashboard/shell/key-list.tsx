// The keys of the page, and the switch for single ones.
import { Dialog } from "../parts/dialog.tsx";
import { usePage } from "../page.ts";
import { keyWords as words } from "../words/keys.ts";

export function KeyList({ onClose }: { onClose: () => void }) {
  const { settings } = usePage();
  return (
    <Dialog title={words.title} onClose={onClose}>
      <dl class="facts">
        {words.keys.map(([keys, meaning]) => (
          <>
            <dt key={keys}>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <label class="row">
        <input
          type="checkbox"
          checked={settings.keys.value}
          onChange={(event) => (settings.keys.value = event.currentTarget.checked)}
        />
        {words.single}
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={settings.enterSends.value}
          onChange={(event) => (settings.enterSends.value = event.currentTarget.checked)}
        />
        {words.enterSends}
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={settings.compact.value}
          onChange={(event) => (settings.compact.value = event.currentTarget.checked)}
        />
        {words.compact}
      </label>
    </Dialog>
  );
}

// The keys of the page, and the switch for single ones.
import type { Signal } from "@preact/signals";
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
      <SettingSwitch setting={settings.keys} word={words.single} />
      <SettingSwitch setting={settings.enterSends} word={words.enterSends} />
      <SettingSwitch setting={settings.compact} word={words.compact} />
    </Dialog>
  );
}

function SettingSwitch({ setting, word }: { setting: Signal<boolean>; word: string }) {
  const change = (event: { currentTarget: HTMLInputElement }) => (setting.value = event.currentTarget.checked);
  return (
    <label class="row">
      <input type="checkbox" checked={setting.value} onChange={change} />
      {word}
    </label>
  );
}

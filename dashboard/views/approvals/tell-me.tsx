// The button after which the browser tells of calls that wait while the page is not looked at: nothing asks for it unbidden, and nothing of
// a call's values is in what is told.
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { usePage } from "../../page.ts";
import { approvalWords as words } from "../../words/approvals.ts";

export function TellMe() {
  const { settings } = usePage();
  const [isRefused, setRefused] = useState(false);
  if (!("Notification" in window)) return null;
  const isOn = settings.notify.value && Notification.permission === "granted";
  const press = () => {
    if (isOn) {
      settings.notify.value = false;
      return;
    }
    void Notification.requestPermission().then((answer) => {
      settings.notify.value = answer === "granted";
      setRefused(answer !== "granted");
    });
  };
  return (
    <>
      {isRefused && <span class="note second">{words.tellMeRefused}</span>}
      <Button
        look="quiet"
        small
        pressed={isOn}
        label={`${isOn ? words.tellMeOn : words.tellMe}. ${words.tellMeWhy}`}
        onPress={press}
      >
        {isOn ? words.tellMeOn : words.tellMe}
      </Button>
    </>
  );
}

// What a request is on the wire, to look at and to take along: as a message of JSON-RPC, and as a command line.
import { useState } from "preact/hooks";
import { usePage } from "../../page.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { testerWords as words } from "../../words/tester.ts";
import { renderCurl, renderMessage, type Request } from "./sent-message.ts";

const maxShownChars = 20_000;

export function SentDetails({ server, request }: { server: string; request: Request }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="tester-details" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.sent}</summary>
      {isOpen && <Sent server={server} request={request} />}
    </details>
  );
}

function Sent({ server, request }: { server: string; request: Request }) {
  const { origin } = usePage();
  const message = renderMessage(request);
  return (
    <div class="stack">
      <pre class="well">
        <ValueText text={message.slice(0, maxShownChars)} />
      </pre>
      <div class="row wrap">
        <CopyButton small word={words.copyJson} text={message} />
        <CopyButton small word={words.copyCurl} text={renderCurl(origin, server, request)} />
      </div>
      <p class="note second">{`${words.sentNote} ${words.copyNote}`}</p>
    </div>
  );
}

// What would be installed, before it is: package and pinned version, what it runs, what it may reach, which secrets it wants and where they
// will lie, then the manifest. Installing is the only filled button here.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { fill } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import { InstallButton } from "./install-button.tsx";
import { PublishedFacts } from "./published-facts.tsx";
import { renderManifest } from "./manifest.ts";
import { chooseOffer, isName, nameFor, type Offer, type Published } from "./published.ts";

interface InstallSheetProps {
  published: Published;
  onClose(): void;
}

export function InstallSheet({ published, onClose }: InstallSheetProps): JSX.Element {
  const { offer, whyNot } = chooseOffer(published);
  return (
    <Dialog title={published.title ?? published.name} look="sheet" onClose={onClose}>
      {/* First, so that the focus begins above what is to be read. */}
      <div class="row discover-close">
        <Button look="quiet" icon="cross" onPress={onClose}>
          {words.close}
        </Button>
      </div>
      {published.description && (
        <p class="second discover-text">
          <ValueText text={published.description} />
        </p>
      )}
      {whyNot !== undefined && <p class="warn">{words.cannot[whyNot]}</p>}
      {offer !== undefined && <Offered {...{ published, offer, onClose }} isInstallable={whyNot === undefined} />}
    </Dialog>
  );
}

interface OfferedProps extends InstallSheetProps {
  offer: Offer;
  isInstallable: boolean;
}

function Offered({ published, offer, isInstallable, onClose }: OfferedProps): JSX.Element {
  const { config } = usePage();
  const [name, setName] = useState(() => nameFor(published.name));
  const [env, setEnv] = useState<Readonly<Record<string, string>>>({});
  const [args, setArgs] = useState<readonly string[]>(() => offer.missing_args.map(() => ""));
  const [isTouched, setTouched] = useState(false);
  const open = offer.env.filter(({ secret }) => !secret);
  const isEmpty = (variable: string) => (env[variable] ?? "") === "";
  const missing =
    open.filter(({ required, name: variable }) => required && isEmpty(variable)).length +
    args.filter((each) => each === "").length +
    Number(!isName(name));
  const given = { name, env, args: args.filter((each) => each !== "") };
  const manifest = renderManifest({ published, offer, ...given, instance: config.instance, isLocal: config.local });
  return (
    <>
      <PublishedFacts {...{ published, offer, name }} />
      {isInstallable && (
        <TextField
          label={words.name}
          value={name}
          mono
          onInput={setName}
          error={isName(name) ? undefined : fill(words.nameError, { name: name.slice(0, 60) })}
        />
      )}
      {isInstallable &&
        open.map(({ name: variable, description, required }) => (
          <TextField
            key={variable}
            mono
            label={fill(words.variable, { name: variable })}
            aside={required ? words.variableRequired : words.variableOptional}
            note={description ?? undefined}
            value={env[variable] ?? ""}
            onInput={(value) => setEnv({ ...env, [variable]: value })}
            onLeave={() => setTouched(true)}
            error={isTouched && required && isEmpty(variable) ? words.variableMissing : undefined}
          />
        ))}
      {isInstallable &&
        offer.missing_args.map((each, index) => (
          <TextField
            key={each}
            mono
            label={fill(words.argument, { name: each })}
            aside={words.variableRequired}
            value={args[index] ?? ""}
            onInput={(value) => setArgs(args.with(index, value))}
          />
        ))}
      <section class="stack">
        <div class="row">
          <h3>{words.manifest}</h3>
          <span class="space" />
          <CopyButton word={words.copyManifest} text={manifest} small />
        </div>
        <div class="well">
          <ValueText text={manifest} />
        </div>
      </section>
      {isInstallable && <InstallButton {...{ published, given, missing, onClose }} />}
    </>
  );
}

// Installs what was looked at, where the person and the gateway may; then says what is left to do, and starts it for whoever wants that.
import { useState } from "preact/hooks";
import type { JSX } from "preact";
import * as z from "zod";
import { serverPath } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { useAction } from "../../parts/use-action.ts";
import { NeedsRole, useOffBecause } from "../../parts/view-states.tsx";
import { ValueText } from "../../parts/value-text.tsx";
import { link } from "../../route/route.ts";
import { fill } from "../../words/fill.ts";
import { discoverWords as words } from "../../words/discover.ts";
import type { Published } from "./published.ts";

const installed = z.looseObject({ next_step: z.string().default("") });
const activated = z.looseObject({});

interface InstallButtonProps {
  published: Published;
  given: { name: string; env: Readonly<Record<string, string>>; args: readonly string[] };
  /** How many fields are not filled yet. */
  missing: number;
  onClose(): void;
}

export function InstallButton(props: InstallButtonProps): JSX.Element {
  const { config, caller } = usePage();
  if (config.local) return <p class="second">{words.readOnly.local}</p>;
  if (caller.value?.management === "approve") return <p class="second">{words.readOnly.approve}</p>;
  return (
    <NeedsRole needed="admin" action={words.needs.install}>
      <Installing {...props} />
    </NeedsRole>
  );
}

function Installing({ published, given, missing, onClose }: InstallButtonProps): JSX.Element {
  const { connection, announcer } = usePage();
  const offline = useOffBecause();
  const { working, problem, run } = useAction<"installing">();
  const [next, setNext] = useState<string | undefined>(undefined);
  const { name, env, args } = given;
  const install = () =>
    run("installing", async () => {
      const values = Object.entries(env).filter(([, value]) => value !== "");
      const { structured } = await connection.call("registry", {
        action: "install",
        name: published.name,
        source: published.source,
        server: name,
        ...(values.length > 0 && { env: Object.fromEntries(values) }),
        ...(args.length > 0 && { args }),
      });
      setNext(installed.parse(structured ?? {}).next_step);
      announcer.say(fill(words.installedTitle, { name }));
    });
  if (next !== undefined) return <Installed {...{ name, next, onClose }} />;
  const off = offline ?? (missing > 0 ? fill(words.installOff, { n: missing }) : undefined);
  return (
    <div class="stack">
      {problem !== undefined && (
        <p class="bad" role="alert">
          {fill(words.failed, { reason: problem.message })}
        </p>
      )}
      <div class="row wrap">
        <Button onPress={onClose}>{words.close}</Button>
        <span class="space" />
        <Button look="filled" offBecause={off} onPress={install}>
          {working === undefined ? words.install : words.installing}
        </Button>
      </div>
    </div>
  );
}

function Installed({ name, next, onClose }: { name: string; next: string; onClose(): void }): JSX.Element {
  const { rest } = usePage();
  const { working, problem, run } = useAction<"activating">();
  const [isActive, setActive] = useState(false);
  const activate = () =>
    run("activating", async () => {
      await rest({ method: "POST", path: serverPath(name, "activate"), schema: activated });
      setActive(true);
    });
  return (
    <div class="stack" role="status">
      <p class="strong">{fill(isActive ? words.activated : words.installedTitle, { name, server: name })}</p>
      {!isActive && (
        <p class="second">
          <ValueText text={fill(words.installedNext, { next })} />
        </p>
      )}
      {problem !== undefined && <p class="bad">{fill(words.failed, { reason: problem.message })}</p>}
      <div class="row wrap">
        <Button onPress={onClose}>{words.close}</Button>
        <span class="space" />
        {!isActive && <Button onPress={activate}>{working === undefined ? words.activate : words.activating}</Button>}
        <ButtonLink href={link(["servers", name])} icon="servers">
          {fill(words.open, { name })}
        </ButtonLink>
      </div>
    </div>
  );
}

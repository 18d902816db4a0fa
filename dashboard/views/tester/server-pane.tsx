// What else can be asked of a server that is tried: what it says of itself, whether it answers, how much it logs, which roots it is shown,
// and how it stands in the configuration of a client.
import { useState } from "preact/hooks";
import {
  doneSchema,
  exportFormats,
  exportSchema,
  infoSchema,
  logLevels,
  pingSchema,
  rootsSchema,
  testerPath,
  type ExportFormat,
  type LogLevel,
  type ServerInfo,
} from "../../data/tester.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { SelectField, TextArea } from "../../parts/field.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { LoadingRows, NeedsRole, ProblemBox, useOffBecause } from "../../parts/view-states.tsx";
import { fill } from "../../words/fill.ts";
import { testerWords } from "../../words/tester.ts";
import type { Testing } from "./testing.ts";

const words = testerWords.info;

export function ServerPane({ testing: { server } }: { testing: Testing }) {
  const { rest } = usePage();
  const info = useAnswer(server, (signal) => rest({ path: testerPath(server, "info"), schema: infoSchema, signal }));
  return (
    <section class="card tester-form" aria-label={fill(words.title, { server })}>
      <h2>{fill(words.title, { server })}</h2>
      {info.problem !== undefined && (
        <ProblemBox what={fill(words.title, { server })} problem={info.problem} again={info.again} />
      )}
      {info.data === undefined && info.problem === undefined && <LoadingRows rows={3} />}
      {info.data !== undefined && <Facts info={info.data} />}
      <NeedsRole needed="caller" action={testerWords.needsCaller}>
        <Ping server={server} />
        {info.data !== undefined && <Level server={server} info={info.data} />}
        <Roots />
      </NeedsRole>
      <Export server={server} />
    </section>
  );
}

function Facts({ info }: { info: ServerInfo }) {
  const { name, title, version, protocolVersion, capabilities, instructions } = info;
  return (
    <>
      <dl class="facts">
        <dt>{words.facts.name}</dt>
        <dd>
          <ValueText text={title === undefined ? name : `${title} (${name})`} />
        </dd>
        <dt>{words.facts.version}</dt>
        <dd>
          <ValueText text={version} />
        </dd>
        <dt>{words.facts.protocol}</dt>
        <dd class="mono">{protocolVersion ?? ""}</dd>
        <dt>{words.facts.capabilities}</dt>
        <dd>
          <ValueText text={Object.keys(capabilities).join(", ")} />
        </dd>
      </dl>
      {instructions !== undefined && (
        <div class="stack">
          <h3>{words.instructions}</h3>
          <pre class="well">
            <ValueText text={instructions} />
          </pre>
        </div>
      )}
    </>
  );
}

/** What was done, or what went wrong. */
const Said = ({ said, problem }: { said: string | undefined; problem: string | undefined }) => (
  <span class={problem === undefined ? "note second tabular" : "note bad"} role="status">
    {problem ?? said ?? ""}
  </span>
);

function Ping({ server }: { server: string }) {
  const { rest } = usePage();
  const offline = useOffBecause();
  const action = useAction<"ping">();
  const [ms, setMs] = useState<number | undefined>(undefined);
  const ping = async () => {
    const body = {};
    const answer = await rest({ method: "POST", path: testerPath(server, "ping"), body, schema: pingSchema });
    setMs(answer.rtt_ms);
  };
  return (
    <div class="row wrap">
      <Button offBecause={offline} onPress={() => action.run("ping", ping)}>
        {words.ping}
      </Button>
      <Said
        said={ms === undefined || action.working !== undefined ? undefined : fill(words.pinged, { ms })}
        problem={action.problem?.message}
      />
    </div>
  );
}

function Level({ server, info }: { server: string; info: ServerInfo }) {
  const { rest } = usePage();
  const offline = useOffBecause();
  const action = useAction<"level">();
  const [level, setLevel] = useState<LogLevel>("info");
  const [told, setTold] = useState<LogLevel | undefined>(undefined);
  if (info.capabilities["logging"] === undefined) return <p class="note second">{words.noLogging}</p>;
  const set = async () => {
    await rest({ method: "POST", path: testerPath(server, "logging-level"), body: { level }, schema: doneSchema });
    setTold(level);
  };
  return (
    <div class="row wrap tester-inline">
      <SelectField<LogLevel>
        label={words.level}
        value={level}
        choices={logLevels.map((each) => ({ value: each, label: each }))}
        onChoose={setLevel}
      />
      <Button offBecause={offline} onPress={() => action.run("level", set)}>
        {words.setLevel}
      </Button>
      <Said
        said={told === undefined ? undefined : fill(words.levelSet, { level: told })}
        problem={action.problem?.message}
      />
    </div>
  );
}

const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function Roots() {
  const { rest } = usePage();
  const offline = useOffBecause();
  const roots = useAnswer("roots", (signal) => rest({ path: "/api/roots", schema: rootsSchema, signal }));
  const action = useAction<"save">();
  const [written, setWritten] = useState<string | undefined>(undefined);
  const [isSaved, setSaved] = useState(false);
  const text = written ?? roots.data?.roots.map(({ uri }) => uri).join("\n") ?? "";
  const wrong = linesOf(text).findIndex((line) => !line.startsWith("file://"));
  const save = async () => {
    const body = { roots: linesOf(text).map((uri) => ({ uri })) };
    await rest({ method: "PUT", path: "/api/roots", body, schema: rootsSchema });
    setSaved(true);
  };
  const error = wrong === -1 ? undefined : fill(words.rootProblem, { line: wrong + 1 });
  return (
    <div class="stack">
      <TextArea
        label={words.roots}
        note={words.rootsNote}
        error={error}
        value={text}
        mono
        rows={2}
        onInput={(changed) => {
          setWritten(changed);
          setSaved(false);
        }}
      />
      <div class="row wrap">
        <Button
          offBecause={offline ?? error}
          onPress={() => {
            action.run("save", save);
          }}
        >
          {words.saveRoots}
        </Button>
        <Said said={isSaved ? words.rootsSaved : undefined} problem={action.problem?.message} />
      </div>
    </div>
  );
}

function Export({ server }: { server: string }) {
  const { rest } = usePage();
  const [format, setFormat] = useState<ExportFormat>("mcp-json");
  const found = useAnswer(`${server} ${format}`, (signal) =>
    rest({ path: `${testerPath(server, "export")}?format=${format}`, schema: exportSchema, signal }),
  );
  const text = found.data === undefined ? "" : JSON.stringify(found.data.config, undefined, 2);
  return (
    <div class="stack">
      <h3>{words.export}</h3>
      <SelectField<ExportFormat>
        label={words.format}
        value={format}
        choices={exportFormats.map((each) => ({ value: each, label: each }))}
        onChoose={setFormat}
      />
      {found.problem !== undefined && <p class="note bad">{found.problem.message}</p>}
      {found.data !== undefined && (
        <>
          <pre class="well">
            <ValueText text={text} />
          </pre>
          <div class="row wrap">
            <CopyButton small word={testerWords.copyResult} text={text} />
            <span class="note second">{words.noSecrets}</span>
          </div>
        </>
      )}
    </div>
  );
}

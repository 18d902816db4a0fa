// What is chosen of a server, with the form for it: a tool, a resource or a template of resources, or a prompt. Which values a request is
// made of is decided here; how they are checked and sent is the request form's.
import { useMemo } from "preact/hooks";
import type { ShownServer } from "../../data/servers.ts";
import type { Offered, TriedPrompt, TriedResource, TriedTemplate, TriedTool } from "../../data/tester.ts";
import { Button } from "../../parts/button.tsx";
import { Chip } from "../../parts/mark.tsx";
import { jsonObject, type Json } from "../../parts/schema-form/json-text.ts";
import { useAction } from "../../parts/use-action.ts";
import type { Answer } from "../../parts/use-answer.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { useOffBecause } from "../../parts/view-states.tsx";
import { fill, plural } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";
import { listTried, schemaOfTexts, type Tried, type TriedKind } from "./names.ts";
import { RequestForm } from "./request-form.tsx";
import type { Testing } from "./testing.ts";
import { expandTemplate, listVariables } from "./uri-template.ts";

interface TriedPaneProps {
  testing: Testing;
  kind: TriedKind;
  name: string | undefined;
  offered: Answer<Offered>;
  known: ShownServer | undefined;
}

export function TriedPane({ testing, kind, name, offered, known }: TriedPaneProps) {
  const { data } = offered;
  const all = useMemo(() => (data === undefined ? [] : listTried(data, kind)), [data, kind]);
  const chosen = name === undefined ? all[0] : all.find((each) => each.name === name);
  const offBecause = known?.state === "off" ? words.off : undefined;
  const revision = testing.refills.value;
  if (chosen !== undefined) {
    return <Chosen key={`${chosen.name} ${revision}`} tried={chosen} testing={testing} offBecause={offBecause} />;
  }
  if (data === undefined || name === undefined) return null;
  return (
    <section class="card pad">
      <p class="second">{fill(words.gone, { server: testing.server, name })}</p>
    </section>
  );
}

interface ChosenProps {
  testing: Testing;
  offBecause: string | undefined;
}

function Chosen({ tried, ...props }: ChosenProps & { tried: Tried }) {
  if (tried.kind === "tools") return <Tool tool={tried.tool} {...props} />;
  if (tried.kind === "prompts") return <Prompt prompt={tried.prompt} {...props} />;
  if ("resource" in tried) return <Resource resource={tried.resource} {...props} />;
  return <Template template={tried.template} {...props} />;
}

const Title = ({ name, title }: { name: string; title: string | undefined }) => (
  <h2 class="tester-name-title">
    <span class="mono">
      <ValueText text={name} />
    </span>
    {title !== undefined && title !== name && (
      <span class="note second tester-subtitle">
        <ValueText text={title} />
      </span>
    )}
  </h2>
);

const Description = ({ text }: { text: string | undefined }) =>
  text === undefined || text === "" ? null : (
    <p class="second tester-description">
      <ValueText text={text} />
    </p>
  );

function Tool({ tool, testing, offBecause }: ChosenProps & { tool: TriedTool }) {
  const { name, title, description, inputSchema, annotations } = tool;
  const isDestructive = annotations?.destructiveHint === true && annotations.readOnlyHint !== true;
  return (
    <RequestForm
      testing={testing}
      origin={{ kind: "tools", name }}
      schema={inputSchema}
      toRequest={(args) => ({ kind: "tools", name, args })}
      word={fill(words.call, { name })}
      isDestructive={isDestructive}
      offBecause={offBecause}
      heading={<Title name={name} title={title} />}
    >
      <Description text={description} />
      <div class="row wrap">
        {isDestructive ? (
          <Chip look="warn" icon="degraded">
            {words.says.destructive}
          </Chip>
        ) : (
          <Chip>{annotations?.readOnlyHint === true ? words.says.readOnly : words.says.changes}</Chip>
        )}
      </div>
    </RequestForm>
  );
}

function Prompt({ prompt, testing, offBecause }: ChosenProps & { prompt: TriedPrompt }) {
  const { name, title, description } = prompt;
  const schema = useMemo(() => schemaOfTexts(prompt.arguments), [prompt]);
  return (
    <RequestForm
      testing={testing}
      origin={{ kind: "prompts", name }}
      schema={schema}
      toRequest={(args) => ({ kind: "prompts", name, args })}
      word={fill(words.getPrompt, { name })}
      offBecause={offBecause}
      heading={<Title name={name} title={title} />}
    >
      <Description text={description} />
    </RequestForm>
  );
}

const nothing = { type: "object", properties: {}, additionalProperties: false };

function Resource({ resource, testing, offBecause }: ChosenProps & { resource: TriedResource }) {
  const { uri, name, title, description, mimeType } = resource;
  return (
    <RequestForm
      testing={testing}
      origin={{ kind: "resources", name: uri }}
      schema={nothing}
      hidesForm
      toRequest={() => ({ kind: "resources", uri })}
      word={words.read}
      offBecause={offBecause}
      heading={<Title name={uri} title={title ?? name} />}
      beside={<Follow testing={testing} uri={uri} />}
    >
      <Description text={description} />
      {mimeType !== undefined && <p class="note third">{mimeType}</p>}
    </RequestForm>
  );
}

function textsIn(value: Json): ReadonlyMap<string, string> {
  if (value.kind !== "object") return new Map();
  return new Map([...value.fields].flatMap(([name, field]) => (field.kind === "string" ? [[name, field.text]] : [])));
}

function Template({ template, testing, offBecause }: ChosenProps & { template: TriedTemplate }) {
  const { uriTemplate, name, title, description } = template;
  const schema = useMemo(
    () => schemaOfTexts(listVariables(uriTemplate).map((variable) => ({ name: variable, required: true }))),
    [uriTemplate],
  );
  const uriOf = (value: Json) => expandTemplate(uriTemplate, textsIn(value));
  return (
    <RequestForm
      testing={testing}
      origin={{ kind: "resources", name: uriTemplate }}
      schema={schema}
      toRequest={(value) => ({ kind: "resources", uri: uriOf(value) })}
      word={words.read}
      offBecause={offBecause}
      heading={<Title name={uriTemplate} title={title ?? name} />}
      tell={(value) => (
        <p class="note second tester-uri">
          {`${words.uri}: `}
          <ValueText text={uriOf(value ?? jsonObject())} />
        </p>
      )}
    >
      <Description text={description} />
    </RequestForm>
  );
}

/** Counts how often the server says that the resource changed. */
function Follow({ testing, uri }: { testing: Testing; uri: string }) {
  const action = useAction<"follow">();
  const offline = useOffBecause();
  const count = testing.updates.value.get(uri);
  const isFollowed = count !== undefined;
  return (
    <>
      <Button
        look="quiet"
        pressed={isFollowed}
        offBecause={offline}
        onPress={() => action.run("follow", () => testing.follow(uri, !isFollowed))}
      >
        {isFollowed ? words.unsubscribe : words.subscribe}
      </Button>
      {isFollowed && <span class="note second tabular">{plural(words.updates, count)}</span>}
      {action.problem !== undefined && (
        <span class="note bad" role="alert">
          {action.problem.message}
        </span>
      )}
    </>
  );
}

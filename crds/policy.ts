// PallasPolicy: which calls of tools are allowed, asked about or denied (MGM-5). A rule's meaning is `lib/policy`'s, which
// denies every call for what it does not understand. So the API server must keep what it does not know, and what is null:
// dropped in silence, either would make a rule wider. `plan/accept-policy.ts` says what is wrong.
import * as z from "zod";
import { conditionList, manifestSchema, observedGeneration, timestamp, type ResourceDefinition } from "./definition.ts";
import { choice, flag, integer, json, keptObject, list, object, orNull, text, withTransitionRule } from "./fields.ts";
import { rfc1035 } from "./instance.ts";
import { maxNameChars } from "./names.ts";
import { nameRef } from "./references.ts";

/** The same as `lib/policy/rules.ts`, which crds/ does not import; a test holds both equal. */
export const policyActions = ["allow", "ask", "denyContinue", "denyAbort"] as const;
export const policyMaxima = {
  rules: 128,
  nameChars: 63,
  listItems: 64,
  textChars: 256,
  reasonChars: 1_024,
  argumentTests: 16,
  redactions: 32,
  pointerChars: 512,
  calls: 1_000_000,
} as const;

/** Of rules and default as JSON: both stand in the live configuration of every agent that has the policy. */
export const maxPolicyBytes = 256 * 1024;
/** Of all proposals of a policy as JSON: they stand beside its spec and what is in force. */
export const maxProposalsBytes = 512 * 1024;
export const maxProposals = 16;

const pattern = text(policyMaxima.textChars, "A name, in which * stands for any characters.", { min: 1 });
const patterns = (description: string) => orNull(list(pattern, policyMaxima.listItems, description)).exactOptional();

const pointer = (description: string) => text(policyMaxima.pointerChars, description);

/** A text, a number, true, false or null; which, the schema of the API server has no word for. */
const scalar = (description: string) =>
  z.unknown().meta({ description, nullable: true, "x-kubernetes-preserve-unknown-fields": true });

const argumentTest = keptObject("A test of one argument; it has exactly one field beside path.", {
  path: pointer('Where, as a JSON pointer, such as /namespace; "" is all arguments.'),
  equals: scalar("The same value of the same type: a text, a number, true, false or null.").exactOptional(),
  in: list(scalar("A value."), policyMaxima.listItems, "One of these values.").exactOptional(),
  prefix: text(policyMaxima.textChars, "How a text begins.", { min: 1 }).exactOptional(),
  glob: text(policyMaxima.textChars, "What a whole text is; * stands for any characters.", { min: 1 }).exactOptional(),
  lessThan: z.number().meta({ description: "A number is less than this." }).exactOptional(),
  greaterThan: z.number().meta({ description: "A number is greater than this." }).exactOptional(),
  absent: flag("true: there is nothing; false: there is something, and be it null.").exactOptional(),
});

const match = keptObject("Which calls; all that is given must hold. Absent: all of them.", {
  servers: patterns("Servers; of a call of another agent that agent's name."),
  tools: patterns("Tools, as their server names them; of a call of another agent send_message."),
  callers: patterns(
    "Who calls: system:serviceaccount:NAMESPACE:NAME, the sub of a token of spec.auth.jwt, token:TABLE/ID, agent:NAME or anonymous.",
  ),
  roles: patterns("Roles that callers have in the gateway; none where they have none."),
  args: orNull(
    list(argumentTest, policyMaxima.argumentTests, "Tests of the arguments, of which all must hold."),
  ).exactOptional(),
  hints: orNull(
    keptObject("What the server says of its own tool. A rule with hints can only tighten what others say.", {
      readOnly: orNull(flag("Whether it only reads; false where nothing is said.")).exactOptional(),
      destructive: orNull(
        flag("Whether it may destroy something; true where nothing is said of a tool that is not read-only."),
      ).exactOptional(),
    }),
  ).exactOptional(),
});

const rule = keptObject("What becomes of the calls that it matches; the first rule that matches decides.", {
  name: text(policyMaxima.nameChars, "Its name, unique in the policy.", {
    min: 1,
    pattern: /^[A-Za-z0-9_.-]+$/,
    expected: "letters, digits, dots, underscores and hyphens",
  }),
  match: orNull(match).exactOptional(),
  action: choice(
    policyActions,
    "allow, ask (somebody must approve the call), denyContinue (the model reads the reason and goes on) or denyAbort (the run ends).",
  ),
  reason: text(policyMaxima.reasonChars, "Why, for who is asked or denied.", { min: 1 }).exactOptional(),
  approvers: orNull(
    list(
      text(
        policyMaxima.textChars,
        "A person by name, or a group: a claim's value, a ServiceAccount's name, a token table's key.",
        {
          min: 1,
        },
      ),
      policyMaxima.listItems,
      "Who may approve, never the caller itself. Default whoever has the role approver.",
    ),
  ).exactOptional(),
  askCaller: flag("Whether the caller may approve, too. Default false.").exactOptional(),
  redact: orNull(
    list(
      pointer("A JSON pointer into the arguments; a part * stands for every member."),
      policyMaxima.redactions,
      "Arguments that are shown to nobody.",
    ),
  ).exactOptional(),
  limit: orNull(
    keptObject("How often the calls may be made; more are denied, and the run goes on.", {
      perMinute: orNull(integer(1, policyMaxima.calls, "Calls in any minute.")).exactOptional(),
      perDay: orNull(integer(1, policyMaxima.calls, "Calls in any 24 hours.")).exactOptional(),
      per: choice(["caller", "agent"], "Whose calls are counted together. Default caller.").exactOptional(),
    }),
  ).exactOptional(),
});

const fallback = choice(policyActions, "What becomes of calls that no rule matches. Default ask.");

const policySpec = object("Which calls of tools are allowed, asked about or denied.", {
  instanceRef: withTransitionRule(nameRef("The instance it belongs to, in the same namespace; it cannot change."), {
    cel: "self == oldSelf",
    message: "instanceRef cannot change; create another policy instead",
  }),
  rules: list(rule, policyMaxima.rules, "Rules, of which the first that matches decides; of at most 256 KiB as JSON."),
  default: fallback.exactOptional(),
});

const writtenRules = list(json("A rule, as in spec."), policyMaxima.rules, "Its rules.");

const proposal = object("Rules that somebody proposes in place of those of spec.", {
  id: text(32, "Given by the gateway.", {
    min: 8,
    pattern: /^[a-z0-9]+$/,
    expected: "8 to 32 lower-case letters and digits",
  }),
  rules: writtenRules,
  default: fallback.exactOptional(),
  reason: text(policyMaxima.reasonChars, "Why they are proposed."),
  by: text(1024, "Who proposes them.", { min: 1 }),
  at: timestamp.meta({ description: "When they were proposed." }),
  generation: integer(0, Number.MAX_SAFE_INTEGER, "Generation of the policy that they were proposed for."),
});
export type PolicyProposal = z.output<typeof proposal>;

const policyStatus = object("What was observed by the operator, and what was proposed to the instance's gateway.", {
  observedGeneration: observedGeneration.exactOptional(),
  conditions: conditionList.exactOptional(),
  inForce: object("The last rules without a fault: they hold while those of spec are faulty.", {
    generation: integer(0, Number.MAX_SAFE_INTEGER, "Generation of the policy that had them."),
    rules: writtenRules,
    default: fallback.exactOptional(),
  }).exactOptional(),
  proposals: list(
    proposal,
    maxProposals,
    "What is proposed; written by the gateway alone, of at most 512 KiB as JSON together.",
  ).exactOptional(),
});

const readyCondition = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;

export const pallasPolicy = {
  kind: "PallasPolicy",
  plural: "pallaspolicies",
  singular: "pallaspolicy",
  shortNames: ["ppol"],
  description: "Rules for the calls of tools that agents of an instance make, and callers through its gateway.",
  spec: policySpec,
  status: policyStatus,
  nameRules: [
    {
      cel: `self.metadata.name.size() <= ${maxNameChars} && self.metadata.name.matches('${rfc1035.source}')`,
      message: `metadata.name must be at most ${maxNameChars} lower-case letters, digits and hyphens, starting with a letter`,
      holds: (name) => name.length <= maxNameChars && rfc1035.test(name),
    },
  ],
  columns: [
    { name: "Instance", type: "string", jsonPath: ".spec.instanceRef.name", description: "Its instance." },
    {
      name: "Default",
      type: "string",
      jsonPath: ".spec.default",
      description: "What becomes of other calls; empty: ask.",
    },
    { name: "Ready", type: "string", jsonPath: readyCondition("status"), description: "Whether its spec holds." },
    {
      name: "In Force",
      type: "integer",
      jsonPath: ".status.inForce.generation",
      description: "Generation of the rules that hold.",
    },
    {
      name: "Message",
      type: "string",
      jsonPath: readyCondition("message"),
      description: "Why it is or is not Ready.",
      priority: 1,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since its creation." },
  ],
} satisfies ResourceDefinition;

export const policyManifest = manifestSchema(pallasPolicy);
export type PallasPolicy = z.output<typeof policyManifest>;
export type PolicySpec = PallasPolicy["spec"];
export type PolicyStatus = NonNullable<PallasPolicy["status"]>;

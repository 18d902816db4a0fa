// With what: every argument of the call, compared with the last approved one. Nothing that is new or changed is ever folded or cut; the raw
// JSON and the hash are one press away.
import { useState } from "preact/hooks";
import type { ShownApproval } from "../../data/approvals.ts";
import { foldEqual } from "../../parts/line-difference.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { useCardPage } from "../../page.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { verdictWords } from "../../words/verdicts.ts";
import { fill, plural } from "../../words/fill.ts";
import { Folded, LeafValue, LinesValue, listNotes, PictureOf } from "./argument-value.tsx";
import type { ArgumentRow, Comparison } from "./difference.ts";
import { tellWhen } from "./when.ts";

const leastFoldedValues = 12;

function hiddenNote({ policy: { name, rule }, last_approved: last }: ShownApproval, kind: ArgumentRow["kind"]): string {
  const by = rule === undefined ? fill(words.hiddenByDefault, { policy: name }) : fill(words.hiddenByRule, { rule });
  if (kind === "gone") return `${by}; ${words.isGone}, ${words.goneNote}`;
  if (last === null) return by;
  return `${by}, ${kind === "equal" ? words.hiddenSame : words.hiddenMayDiffer}`;
}

function RowValue({ row, approval }: { row: ArgumentRow; approval: ShownApproval }) {
  const { now, was, lines, kind, isHidden } = row;
  const isCompared = approval.last_approved !== null;
  if (isHidden) return <p class="approvals-hidden second">{hiddenNote(approval, kind)}</p>;
  if (now === undefined) {
    return (
      <>
        {was !== undefined && (
          <s>
            <LeafValue leaf={was} />
          </s>
        )}
        <p class="note second">
          {words.isGone}, {words.goneNote}
        </p>
      </>
    );
  }
  const notes = listNotes(now);
  const isNew = kind === "new" && isCompared;
  return (
    <>
      {lines === undefined ? <LeafValue leaf={now} /> : <LinesValue lines={lines} />}
      <PictureOf leaf={now} name={row.label} />
      {lines === undefined && was !== undefined && (
        <p class="note second">
          {words.was}{" "}
          <s class="bad">
            <LeafValue leaf={was} />
          </s>
        </p>
      )}
      {(isNew || notes.length > 0) && (
        <p class="note second">
          <ValueText text={[...(isNew ? [words.isNew] : []), ...notes].join("; ")} />
        </p>
      )}
    </>
  );
}

function Row({ row, approval }: { row: ArgumentRow; approval: ShownApproval }) {
  const { lines } = row;
  const count = (kind: string) => lines?.filter((line) => line.kind === kind).length ?? 0;
  return (
    <div class={`approvals-argument ${row.kind}`}>
      <dt>
        <ValueText text={row.label === "" ? words.value : row.label} />
        {lines !== undefined && (
          <span class="note second approvals-count">
            {plural(words.linesChanged, Math.max(count("added"), count("removed")))}
          </span>
        )}
      </dt>
      <dd>
        <RowValue row={row} approval={approval} />
      </dd>
    </div>
  );
}

function Rows({ comparison, approval }: { comparison: Comparison; approval: ShownApproval }) {
  const runs = foldEqual(comparison.rows, ({ kind }) => kind === "equal", leastFoldedValues);
  return (
    <dl class="approvals-arguments">
      {runs.map((run, index) => {
        const rows = run.items.map((row) => <Row key={row.key} row={row} approval={approval} />);
        if (run.kind === "shown") return rows;
        return (
          <Folded key={index} word={plural(words.equalValues, run.items.length)}>
            {rows}
          </Folded>
        );
      })}
    </dl>
  );
}

function tellCompared({ last_approved: last, arguments: shown }: ShownApproval, now: number): string {
  if (last === null) return words.notCompared;
  const places = { time: tellWhen(last.at, now), by: last.by ?? verdictWords.somebody };
  if (shown !== undefined) return fill(words.compared, places);
  const told: string = last.same_arguments ? words.comparedHash.same : words.comparedHash.other;
  return fill<string>(told, places);
}

const shortHash = (hash: string): string => {
  const [kind = "", digits = ""] = hash.split(":");
  return `${kind} ${digits.slice(0, 4)}…${digits.slice(-4)}`;
};

function Foot({ approval, comparison }: { approval: ShownApproval; comparison: Comparison | undefined }) {
  const [isRaw, setRaw] = useState(false);
  const { arguments: text, arguments_hash: hash } = approval;
  const total = comparison?.rows.length ?? 0;
  return (
    <>
      <div class="approvals-foot note second">
        {comparison !== undefined && (
          <span>
            {approval.last_approved === null
              ? plural(words.values, total)
              : plural(words.differ, total, { differing: comparison.differing })}{" "}
            {words.asSent}
          </span>
        )}
        <span class="space" />
        {text !== undefined && (
          <button type="button" class="text-button" aria-expanded={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? words.hideRaw : words.raw}
          </button>
        )}
        <code title={hash}>{shortHash(hash)}</code>
      </div>
      {isRaw && text !== undefined && (
        <figure class="well approvals-raw" aria-label={words.rawLabel}>
          <ValueText text={text} />
          <figcaption class="note">
            <code>{hash}</code>
          </figcaption>
        </figure>
      )}
    </>
  );
}

export function CardArguments({
  approval,
  comparison,
}: {
  approval: ShownApproval;
  comparison: Comparison | undefined;
}) {
  const { time } = useCardPage();
  return (
    <section class="section">
      <div class="approvals-with">
        <h2>{words.withWhat}</h2>
        <span class="note second">{tellCompared(approval, time.coarse.value)}</span>
      </div>
      {comparison === undefined ? (
        <p class="second">{words.needsApprover}</p>
      ) : (
        <>
          {comparison.isUnreadable && <p class="note warn">{words.unreadable}</p>}
          <Rows comparison={comparison} approval={approval} />
        </>
      )}
      <Foot approval={approval} comparison={comparison} />
    </section>
  );
}

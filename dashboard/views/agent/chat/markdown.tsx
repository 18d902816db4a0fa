// An agent's text as a person reads it: markdown's tokens (marked's lexer) as elements. HTML in it is shown as text, a link opens apart and says
// where it leads, and no picture but one in the text itself is loaded. What marked cannot take is shown as it stands.
import type { MarkedToken, Token } from "marked";
import { Component, type ComponentChildren, type JSX } from "preact";
import { ValueText } from "../../../parts/value-text.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import { noBlocks, readBlocks, type ReadBlocks } from "./markdown-blocks.ts";
import { ProseText } from "./prose-text.tsx";

/** Longer texts are not parsed. */
const maxParsedChars = 200_000;
const maxDepth = 24;

/** marked's type for tokens is open for those of its extensions, of which there are none here. */
const isKnown = (token: Token): token is MarkedToken => !("extension" in token);

interface MarkdownProps {
  text: string;
}

/** Of a text that grows, the last block alone is read and drawn again. */
export class Markdown extends Component<MarkdownProps> {
  #read = noBlocks;

  override shouldComponentUpdate(next: MarkdownProps): boolean {
    return next.text !== this.props.text;
  }

  override render({ text }: MarkdownProps): JSX.Element {
    const blocks = this.#readBlocks(text);
    return (
      <div class="prose">
        {blocks === undefined ? (
          <p class="chat-plain">
            <ProseText text={text} />
          </p>
        ) : (
          [...blocks.done, ...blocks.open].map((token, index) => <Block key={index} token={token} />)
        )}
      </div>
    );
  }

  #readBlocks(text: string): ReadBlocks | undefined {
    if (text.length > maxParsedChars) return undefined;
    try {
      this.#read = readBlocks(this.#read, text);
      return this.#read;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return undefined;
    }
  }
}

class Block extends Component<{ token: Token }> {
  override shouldComponentUpdate({ token }: { token: Token }): boolean {
    return token !== this.props.token;
  }

  override render({ token }: { token: Token }): JSX.Element {
    return <One token={token} depth={0} />;
  }
}

const Plain = ({ text }: { text: string }): JSX.Element => (
  <span class="chat-plain">
    <ProseText text={text} />
  </span>
);

const renderAll = (tokens: readonly Token[] | undefined, depth: number): ComponentChildren =>
  tokens?.map((token, index) => <One key={index} token={token} depth={depth} />);

function One({ token, depth }: { token: Token; depth: number }): JSX.Element | null {
  if (!isKnown(token) || depth > maxDepth) return <Plain text={token.raw} />;
  return renderBlock(token, depth + 1) ?? renderInline(token, depth + 1);
}

function renderBlock(token: MarkedToken, depth: number): JSX.Element | undefined {
  switch (token.type) {
    case "paragraph":
      return <p>{renderAll(token.tokens, depth)}</p>;
    case "heading":
      return <p class={`chat-heading level-${token.depth}`}>{renderAll(token.tokens, depth)}</p>;
    case "list":
      return token.ordered ? (
        <ol class="chat-list" start={Number(token.start) || 1}>
          {renderAll(token.items, depth)}
        </ol>
      ) : (
        <ul class="chat-list">{renderAll(token.items, depth)}</ul>
      );
    case "list_item":
      return <li>{renderAll(token.tokens, depth)}</li>;
    case "blockquote":
      return <blockquote>{renderAll(token.tokens, depth)}</blockquote>;
    case "code":
      return <Code text={token.text} language={token.lang} />;
    case "table":
      return <TableBlock token={token} depth={depth} />;
    case "hr":
      return <hr />;
    default:
      return undefined;
  }
}

const Code = ({ text, language }: { text: string; language: string | undefined }) => (
  <figure class="chat-code well">
    <figcaption class="row note second">
      <span class="cut">{language === undefined || language === "" ? words.code : language.slice(0, 40)}</span>
      <span class="space" />
      <CopyButton small word={words.copyText} text={text} />
    </figcaption>
    <pre tabIndex={0}>
      <ValueText text={text} />
    </pre>
  </figure>
);

function TableBlock({ token, depth }: { token: Extract<MarkedToken, { type: "table" }>; depth: number }) {
  return (
    <div class="chat-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index} scope="col">
                {renderAll(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{renderAll(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInline(token: MarkedToken, depth: number): JSX.Element | null {
  switch (token.type) {
    case "strong":
      return <strong>{renderAll(token.tokens, depth)}</strong>;
    case "em":
      return <em>{renderAll(token.tokens, depth)}</em>;
    case "del":
      return <del>{renderAll(token.tokens, depth)}</del>;
    case "codespan":
      return (
        <code>
          <ValueText text={token.text} />
        </code>
      );
    case "br":
      return <br />;
    case "link":
      return <SafeLink href={token.href}>{renderAll(token.tokens, depth)}</SafeLink>;
    case "image":
      return <Picture href={token.href} text={token.text} />;
    case "space":
    case "def":
      return null;
    case "text":
      return token.tokens === undefined ? (
        <Plain text={decodeEscapes(token.text)} />
      ) : (
        <>{renderAll(token.tokens, depth)}</>
      );
    case "escape":
      return <>{token.text}</>;
    default:
      return <Plain text={token.raw} />;
  }
}

/** marked leaves texts as they were written; the five entities that people write are read. */
const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const decodeEscapes = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => entities[found] ?? found);

const linkSchemes = ["http:", "https:", "mailto:"];

/** Where it leads is told beside it; any other scheme is text. */
function SafeLink({ href, children }: { href: string; children: ComponentChildren }) {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (url === undefined || !linkSchemes.includes(url.protocol)) {
    return (
      <>
        {children} (<ValueText text={href.slice(0, 2_000)} />)
      </>
    );
  }
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer" title={fill(words.externalLink, { host })}>
      {children}
      <span class="note second"> ({host})</span>
    </a>
  );
}

const dataPicture = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

const Picture = ({ href, text }: { href: string; text: string }) =>
  dataPicture.test(href) ? (
    <img class="chat-picture" src={href} alt={text} />
  ) : (
    <SafeLink href={href}>{text || href}</SafeLink>
  );

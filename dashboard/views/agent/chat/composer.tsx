// Where a message is written: Enter sends it and Shift Enter breaks the line (or as the person set it), pictures are pasted, dropped or picked, and while
// the agent answers there are Stop and Queue. A draft stays with its conversation.
import { useRef, useState } from "preact/hooks";
import { usePage } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { NeedsRole, useOffBecause } from "../../../parts/view-states.tsx";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import { emptyDraft, type Chat } from "./open-chat.ts";
import { bytesOf, maxPictureBytes, readPicture, refusePicture } from "./pictures.ts";

export const Composer = ({ chat }: { chat: Chat }) => (
  <NeedsRole needed="caller" action={words.callerNeeded}>
    <ComposerForm chat={chat} />
  </NeedsRole>
);

function ComposerForm({ chat }: { chat: Chat }) {
  const offBecause = useOffBecause();
  const [problem, setProblem] = useState<string | undefined>();
  const draft = chat.draft.value;
  const isAnswering = chat.isAnswering.value;
  const canSend = offBecause === undefined && (draft.text.trim() !== "" || draft.images.length > 0);
  const send = () => {
    if (!canSend) return;
    chat.send({ ...draft, text: draft.text.trim() });
    chat.draft.value = emptyDraft;
    setProblem(undefined);
  };
  const add = (files: readonly File[]) => void addPictures(chat, files).then(setProblem);
  const onKeyDown = useComposerKeys(send);
  return (
    <form
      class="chat-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        add([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <Pictures chat={chat} />
      <textarea
        rows={2}
        aria-label={fill(words.message, { agent: chat.agent })}
        placeholder={fill(words.message, { agent: chat.agent })}
        value={draft.text}
        onInput={(event) => (chat.draft.value = { ...draft, text: event.currentTarget.value })}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length > 0) add(files);
        }}
      />
      {problem !== undefined && (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        <PictureButton onFiles={add} />
        <span class="space" />
        {isAnswering && (
          <Button icon="stop" onPress={chat.stop.bind(chat)}>
            {words.stop}
          </Button>
        )}
        <Button type="submit" look="filled" offBecause={offBecause} onPress={() => undefined}>
          {isAnswering ? words.queue : words.send}
        </Button>
      </div>
    </form>
  );
}

function useComposerKeys(send: () => void) {
  const { settings } = usePage();
  return (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.isComposing) return;
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey;
    const isTouch = window.matchMedia("(pointer: coarse)").matches;
    const sends = event.ctrlKey || event.metaKey || (isPlain && settings.enterSends.peek() && !isTouch);
    if (!sends) return;
    event.preventDefault();
    send();
  };
}

/** Why one of them was not taken. */
async function addPictures(chat: Chat, files: readonly File[]): Promise<string | undefined> {
  for (const file of files) {
    const refused = refusePicture(file, chat.draft.peek().images.length);
    if (refused !== undefined) return refused;
    try {
      const image = await readPicture(file);
      const draft = chat.draft.peek();
      const images = [...draft.images, image];
      if (bytesOf(images) > maxPictureBytes) return words.pictureTooLarge;
      chat.draft.value = { ...draft, images };
    } catch {
      return words.pictureUnknown;
    }
  }
  return undefined;
}

function PictureButton({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button class="chat-add-picture" look="quiet" icon="picture" onPress={() => input.current?.click()}>
        {words.addPicture}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/png,image/jpeg,image/webp,image/gif"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

function Pictures({ chat }: { chat: Chat }) {
  const draft = chat.draft.value;
  if (draft.images.length === 0) return null;
  const change = (images: typeof draft.images) => (chat.draft.value = { ...draft, images });
  return (
    <ul class="row wrap chat-pictures">
      {draft.images.map((image, index) => (
        <li key={image.url.slice(-40)} class="stack">
          <img class="chat-picture" src={image.url} alt={fill(words.picture, { n: index + 1 })} />
          <input
            type="text"
            aria-label={fill(words.pictureText, { n: index + 1 })}
            placeholder={fill(words.pictureText, { n: index + 1 })}
            value={image.alt}
            onInput={(event) => change(draft.images.with(index, { ...image, alt: event.currentTarget.value }))}
          />
          <Button small look="quiet" icon="cross" onPress={() => change(draft.images.filter((_, at) => at !== index))}>
            {fill(words.removePicture, { n: index + 1 })}
          </Button>
        </li>
      ))}
    </ul>
  );
}

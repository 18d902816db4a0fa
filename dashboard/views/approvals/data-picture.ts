// Pictures that are in a value themselves, as `data:` with base64. They are shown only when somebody presses for them; no other picture
// is ever shown, and none is loaded. Pure.

export interface DataPicture {
  readonly url: string;
  readonly bytes: number;
}

const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

/** Undefined where the text is anything else than one picture. */
export function readDataPicture(text: string): DataPicture | undefined {
  const [, encoded] = picture.exec(text) ?? [];
  if (encoded === undefined) return undefined;
  return { url: text, bytes: Math.floor((encoded.replace(/=+$/, "").length * 3) / 4) };
}

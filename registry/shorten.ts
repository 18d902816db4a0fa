// What a client sent, at a length that an answer or a line of the log can hold.

const maxShownChars = 200;

export const shorten = (text: string): string =>
  text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text;

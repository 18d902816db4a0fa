// What a client sent, at a length that an answer or a line of the log can hold.

const shownLimitChars = 200;

export const shorten = (text: string): string =>
  text.length > shownLimitChars ? `${text.slice(0, shownLimitChars)}…` : text;

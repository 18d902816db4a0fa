// Takes the slashes off the end of a URL, which people write or leave out.

/** The look-behind keeps it linear: without it each slash of a run would begin another search for its end. */
const endSlashes = /(?<!\/)\/+$/;

export const withoutEndSlashes = (url: string): string => url.replace(endSlashes, "");

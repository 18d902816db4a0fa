// Whether the window is as a media query says, for what CSS alone cannot do: the height of virtual rows, and what stands in place of what.
import { useEffect, useState } from "preact/hooks";

export const phone = "(max-width: 560px)";
/** Panels take the place of what they belong to. */
export const narrow = "(max-width: 900px)";

export function useMedia(query: string): boolean {
  const [isSo, setSo] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const media = window.matchMedia(query);
    const read = () => setSo(media.matches);
    read();
    media.addEventListener("change", read);
    return () => media.removeEventListener("change", read);
  }, [query]);
  return isSo;
}

// JSON pointers of what a rule keeps to itself, in which a segment `*` stands for every member. Pure.

export type Path = readonly (string | number)[];
export type Pointer = readonly string[];

export const parsePointer = (pointer: string): Pointer =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Whether a path leads to what one of the pointers names, or below it. */
export const isHiddenPath = (pointers: readonly Pointer[], path: Path): boolean =>
  pointers.some(
    (pointer) =>
      pointer.length <= path.length && pointer.every((part, index) => part === "*" || part === String(path[index])),
  );

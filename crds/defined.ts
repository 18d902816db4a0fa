// Optional fields of an object literal: `{ a, ...defined({ b, c }) }` has `b` and `c` where they have a value, and no key without one.
// For crds and plan, which import nothing of lib; lib/process/defined.ts is the same for everybody else.

/** The fields, each optional whose value may be undefined. */
export type Defined<Fields extends object> = Flat<
  { [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name] } & {
    [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
  }
>;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };

export function defined<Fields extends object>(fields: Fields): Defined<Fields>;
export function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

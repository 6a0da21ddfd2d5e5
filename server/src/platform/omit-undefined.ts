/** Returns the fields of an object that are not undefined, for a write that changes only the fields of a form. */
export const omitUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [F in keyof T]?: Exclude<T[F], undefined> // the types do not follow the filter
  }

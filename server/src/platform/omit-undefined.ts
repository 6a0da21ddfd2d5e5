/** The fields of an object that are not undefined, for a write that changes only what was given. */
export const omitUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [F in keyof T]?: Exclude<T[F], undefined> // the filter's doing, which the types don't follow
  }

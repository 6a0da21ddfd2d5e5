import classes from './name.module.css'

/** A name that a user chose. Wraps at any length, and a right-to-left name does not reorder the text around it. */
export const Name = ({ children }: { children: string }) => <bdi className={classes.name}>{children}</bdi>

import classes from './name.module.css'

/** What somebody else named: of any length, and in a script of either direction, which turns nothing else around. */
export const Name = ({ children }: { children: string }) => <bdi className={classes.name}>{children}</bdi>

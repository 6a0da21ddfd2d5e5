/** Sendroom's logo. */
export const Mark = ({ size = 28 }: { size?: number }) => (
  <img src="/favicon.svg" width={size} height={size} alt="" />
)

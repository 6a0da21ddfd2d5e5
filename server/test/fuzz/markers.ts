/** Part of every password and token of the tests, so that one that leaks is found anywhere. */
export const SECRET = 's3cr3t'

export const PASSWORD = `Pass-${SECRET}-1`

/** Part of the names of what belongs to an instance that no Member may see. */
export const FOREIGN = 'f0reign'

/** An API key as a whole, of which answers and logs have the beginning only. */
export const API_KEY = /sendroom_[0-9A-Za-z]{49}/

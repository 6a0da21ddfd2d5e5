/** How fast is the engine, what does a large job cost, and how soon does a due message leave? */

import { openEnvironment } from './engine-environment.ts'
import { measureLarge } from './engine-large.ts'
import { measurePromptness } from './engine-prompt.ts'
import { measurePersonal, measureSpeed } from './engine-speed.ts'

await using environment = await openEnvironment()
await measureSpeed(environment)
await measurePersonal(environment)
await measureLarge(environment)
await measurePromptness(environment)

/** How fast is the engine, what does a large job cost, and how soon does a message go? */
import { measureLarge } from './engine-large.ts'
import { measurePromptness } from './engine-prompt.ts'
import { measureSpeed } from './engine-speed.ts'
import { openStage } from './engine-stage.ts'

await using stage = await openStage()
await measureSpeed(stage)
await measureLarge(stage)
await measurePromptness(stage)

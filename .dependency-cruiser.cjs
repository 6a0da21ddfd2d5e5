/**
 * Who may import whom. The rules follow from the order of rooms and layers below, so a new
 * feature is protected without being listed, and a new room or layer may import nothing
 * of ours until it has its place here.
 */
const rooms = require('./package.json').workspaces

/** Room → the rooms it may import. */
const mayImport = {
  contract: [],
  simulator: [],
  server: ['contract', 'simulator'],
  web: ['contract'],
  e2e: ['contract'],
  bench: ['contract', 'server', 'simulator', 'e2e'],
}

/** From above to below: a layer may import itself and what stands after it. A file of that name is a layer too. */
const serverLayers = [
  'commands',
  'recurring-work',
  'app',
  'features',
  'backup',
  'open-database',
  'embedded-postgres',
  'engine',
  'providers',
  'platform',
  'config',
  'database-url',
  'startup-error',
]
/** The engine's modules, in the same order; `context` and `wake` are files beside them. */
const engineModules = [
  'retention',
  'sending',
  'in-doubt',
  'history',
  'incoming',
  'receipts',
  'polls',
  'health',
  'jobs',
  'status',
  'shared',
  'context',
  'wake',
]
const leaves = '(i18n|address|format|storage)'
const webLayers = ['app', 'features', 'lists', 'forms', 'api', 'ui', leaves]

const TESTS = '(\\.test\\.tsx?$|^[^/]+/test/)'
const either = (names) => `(${names.join('|')})`
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const roomRules = rooms.map((room) => {
  const others = [...rooms, 'scripts'].filter((other) => other !== room && !mayImport[room]?.includes(other))
  return forbid(
    `${room}-stays-in-its-room`,
    `${room}/ may import of ours: ${mayImport[room]?.join(', ') || 'nothing'}.`,
    { path: `^${room}/` },
    { path: `^${either(others)}/` },
  )
})

const layerRules = (room, layers) =>
  layers.map((layer, i) =>
    forbid(
      `${room}-${layer === leaves ? 'leaves' : layer}-import-downwards`,
      `The order is main ► ${layers.join(' ► ')}.`,
      { path: `^${room}/src/${layer}[./]`, pathNot: TESTS },
      { path: `^${room}/src/`, pathNot: `^${room}/src/${either(layers.slice(i))}[./]` },
    ),
  )

const engineRules = engineModules.map((module, i) =>
  forbid(
    `engine-${module}-imports-downwards`,
    `The order is index ► engine ► ${engineModules.join(' ► ')}.`,
    { path: `^server/src/engine/${module}[./]`, pathNot: TESTS },
    { path: '^server/src/engine/', pathNot: `^server/src/engine/${either(engineModules.slice(i))}[./]` },
  ),
)

const featureRules = ['server', 'web'].map((room) =>
  forbid(
    `${room}-features-stay-apart`,
    'Where two features meet, the server joins in SQL and the web composes in app/.',
    { path: `^${room}/src/features/([^/]+)/` },
    { path: `^${room}/src/features/`, pathNot: `^${room}/src/features/$1/` },
  ),
)

/** Inside a feature: routes ► service ► queries. */
const roles = ['routes', 'service', 'queries']
const roleRules = roles
  .slice(1)
  .map((role, i) =>
    forbid(
      `${role}-import-downwards`,
      `Inside a feature the order is ${roles.join(' ► ')}.`,
      { path: `^server/src/features/.*\\.${role}\\.ts$` },
      { path: `^server/src/features/.*\\.${either(roles.slice(0, i + 1))}\\.ts$` },
    ),
  )

module.exports = {
  forbidden: [
    ...roomRules,
    ...layerRules('server', serverLayers),
    ...layerRules('web', webLayers),
    ...engineRules,
    ...featureRules,
    ...roleRules,
    forbid(
      'contract-imports-only-zod',
      'The contract is loaded by the browser: no I/O, no other package.',
      { path: '^contract/src/', pathNot: TESTS },
      { pathNot: '^(contract/src|node_modules/zod)/' },
    ),
    forbid(
      'simulator-only-for-test-mode',
      'The server starts the simulator for test-mode accounts and otherwise meets it over HTTP.',
      { path: '^server/', pathNot: `^server/src/providers/test-mode\\.ts$|${TESTS}` },
      { path: '^simulator/' },
    ),
    forbid(
      'only-the-provider-port',
      'Only what wires the process together knows which provider there is; the rest knows the port.',
      { path: `^server/src/${either(['features', 'engine'])}/`, pathNot: TESTS },
      { path: '^server/src/providers/', pathNot: '/provider\\.ts$' },
    ),
    forbid(
      'engine-by-its-index',
      'The engine owns the life of a job; who needs it asks its index.ts.',
      { path: '^server/src/', pathNot: `^server/src/engine/|${TESTS}` },
      { path: '^server/src/engine/', pathNot: '/index\\.ts$' },
    ),
    forbid(
      'http-stays-in-the-routes',
      'The engine, services and queries know no HTTP.',
      { path: '^server/src/(engine/|features/.*\\.(service|queries)\\.ts$)', pathNot: TESTS },
      { path: '^node_modules/(fastify|@fastify|fastify-type-provider-zod)/' },
    ),
    forbid(
      'driver-only-in-the-database',
      'Two folders know how we talk to PostgreSQL; sql.ts gives the template tag.',
      { pathNot: `^(node_modules/|server/src/(platform/database|embedded-postgres)/)|${TESTS}` },
      { path: '^node_modules/(pg|sql-template-tag)/' },
    ),
    forbid(
      'tests-are-imported-by-tests',
      'What runs in production does not come from a test.',
      { path: `^${either(rooms)}/`, pathNot: `${TESTS}|^(e2e|bench)/` },
      { path: TESTS },
    ),
    forbid(
      'no-cycles',
      'Two files that need each other are one file, or need a third.',
      {},
      { circular: true },
    ),
    forbid(
      'every-import-is-found',
      'A misspelt import would slip through all the rules above.',
      {},
      { couldNotResolve: true },
    ),
  ],
  options: {
    exclude: '/(dist|\\.tmp)/',
    doNotFollow: 'node_modules',
    tsPreCompilationDeps: true, // type-only imports count
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}

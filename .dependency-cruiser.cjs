/** The direction of imports: apps → domains → platform. A type counts like a value. */

const FOUNDATION = 'config|context|errors|json|money|pagination|tracing';
const TESTS = '[.]spec[.]ts$';
/** Fastify, and what of Nest stands on HTTP. */
const HTTP = 'node_modules/(@nestjs/(swagger|platform-fastify|throttler|terminus)|fastify|@fastify|light-my-request)/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or lack a third. Types included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'libraries-are-imported-through-their-index',
      comment: "Another library's files are its own affair.",
      severity: 'error',
      from: { path: '^(apps|libs/domains|libs/platform|libs(?=/(records|schema)/)|test)/([^/]+)/' },
      to: {
        path: '^libs/',
        pathNot: ['^libs/(schema|[^/]+/[^/]+)/src/index[.]ts$', '^libs/records/src/[^/]+[.]dto[.]ts$', '^$1/$2/'],
      },
    },
    {
      name: 'libraries-know-no-app',
      severity: 'error',
      from: { path: '^libs/', pathNot: TESTS },
      to: { path: '^(apps|test)/' },
    },
    {
      name: 'apps-know-no-other-app',
      comment: 'Only the launcher knows the others, and it knows their processes, not their code.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: TESTS },
      to: { path: '^(apps|test)/', pathNot: '^apps/$1/' },
    },
    {
      name: 'foundation-stands-on-nothing',
      comment: 'config, context, errors, json, money, pagination and tracing are what everything else stands on.',
      severity: 'error',
      from: { path: `^libs/platform/(${FOUNDATION})/` },
      to: { path: '^libs/', pathNot: `^libs/platform/(${FOUNDATION})/` },
    },
    {
      name: 'platform-knows-no-domain',
      severity: 'error',
      from: { path: '^libs/platform/', pathNot: TESTS },
      to: { path: '^libs/domains/' },
    },
    {
      name: 'schema-stands-above-the-domains',
      comment: 'It knows the migrations of all of them; only programs and tests use it.',
      severity: 'error',
      from: { path: '^libs/(domains|platform)/', pathNot: TESTS },
      to: { path: '^libs/schema/' },
    },
    {
      name: 'records-stand-above-the-domains',
      comment: 'They are what customers see of the rows of all domains; the API and the worker show them.',
      severity: 'error',
      from: { path: '^libs/(domains|platform|schema)/', pathNot: TESTS },
      to: { path: '^libs/records/' },
    },
    {
      name: 'domains-reach-no-http',
      comment:
        'A domain serves the API, the worker and the command line alike. Whatever it imports may not lead to HTTP either.',
      severity: 'error',
      from: { path: '^libs/domains/', pathNot: TESTS },
      to: { path: ['^libs/platform/(http|access)/', HTTP], reachable: true },
    },
    {
      name: 'production-has-what-it-needs',
      comment: 'What a program imports is a dependency of the package, not a tool of its developers.',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: [TESTS, '^apps/(local|sandbox)/', '^libs/platform/database/src/embedded/'],
      },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'everything-is-found',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'every-file-is-used',
      comment: 'A file that nobody imports and that starts nothing.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          'main[.]ts$',
          TESTS,
          '^jest[.]config',
          '^test/support/(each-file|global-|loaded-modules)',
          '^test/bench/ai/portkey-streams[.]',
        ],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|test/(contract/clients|oidc)|apps/operator-console)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};

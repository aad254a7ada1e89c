/** The arrows between the rooms. apps → domain rooms → access, http, database, … → config, errors. */

const FOUNDATION = 'config|errors|json|money|pagination';
const DOMAINS = 'ai|audit|billing|credit-requests|customers|invoices|services|sms|status|support';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or lack a third.',
      severity: 'error',
      from: {},
      // A type that points back costs nothing at run time.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'rooms-are-entered-through-their-index',
      comment: "Another room's inside is its own affair.",
      severity: 'error',
      from: { path: '^(apps|libs|test)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/', pathNot: ['^libs/[^/]+/src/index[.]ts$', '^libs/[^/]+/src/testing/', '^$1/$2/'] },
    },
    {
      name: 'libs-know-no-app',
      severity: 'error',
      from: { path: '^libs/', pathNot: '[.]spec[.]ts$' },
      to: { path: '^(apps|test)/' },
    },
    {
      name: 'apps-know-no-other-app',
      comment: 'Only the launcher knows the others, and it knows their processes, not their code.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '[.]spec[.]ts$' },
      to: { path: '^(apps|test)/', pathNot: '^apps/$1/' },
    },
    {
      name: 'foundation-stands-on-nothing',
      comment: 'config, errors, json, money and pagination are what everything else stands on.',
      severity: 'error',
      from: { path: `^libs/(${FOUNDATION})/` },
      to: { path: '^libs/', pathNot: `^libs/(${FOUNDATION})/` },
    },
    {
      name: 'platform-knows-no-domain',
      severity: 'error',
      from: { path: `^libs/(?!(${DOMAINS})/)` },
      // Every room may write to the audit trail.
      to: { path: `^libs/(${DOMAINS})/`, pathNot: '^libs/audit/' },
    },
    {
      name: 'domains-know-no-http',
      comment: 'A domain serves the API, the worker and the command line alike.',
      severity: 'error',
      from: { path: `^libs/(${DOMAINS})/`, pathNot: '[.]spec[.]ts$' },
      to: { path: ['^libs/http/', 'node_modules/(@nestjs/(swagger|platform-fastify|throttler)|fastify)/'] },
    },
    {
      name: 'production-has-what-it-needs',
      comment: 'What a program imports is a dependency of the package, not a tool of its developers.',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: ['[.]spec[.]ts$', '^apps/(local|sandbox)/', '/testing/', '^libs/database/src/embedded/'],
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
      name: 'nothing-lies-about',
      comment: 'A file that nobody imports and that starts nothing.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['main[.]ts$', '[.]spec[.]ts$', '^jest[.]config', '^test/support/(each-file|global-)', '/testing/'],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|test/contract/clients)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};

import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';

const settingsOnlyInConfig = {
  object: 'process',
  property: 'env',
  message: 'Settings come from AppConfig (@platform/config), which has validated them.',
};

const forbiddenImports = {
  paths: [
    { name: '@nestjs/common', importNames: ['forwardRef'], message: 'Cut the cycle instead.' },
    { name: 'process', message: 'process is a global.' },
    { name: 'node:process', message: 'process is a global.' },
  ],
  patterns: [{ regex: '^@(domains|platform)/[^/]+/', message: 'A library is imported through its index.ts.' }],
};
const readsAsACustomer = {
  name: '@platform/database',
  importNames: ['PipelinedConnectionsService'],
  message: 'It runs statements as nobody in particular; customer data is read through CustomerDatabaseService.',
};

/** The database's clock decides what is booked, expired or due; docs/decisions/clock.md. */
const processClock = [
  'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
  'NewExpression[callee.name="Date"][arguments.length=0]',
].map((selector) => ({
  selector,
  message: 'Take the time from the database (app.now(), DatabaseClockService), or performance.now() for a duration.',
}));

export default defineConfig(
  // Programs that import generated clients, which are not there until their test makes them; it compiles them strictly.
  globalIgnores([
    'dist/',
    'coverage/',
    '.data/',
    'test/contract/clients/',
    'apps/operator-console/src/client/schema.d.ts',
  ]),
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    ignores: ['apps/operator-console/**'],
    extends: [typescript.configs.strictTypeChecked, typescript.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      'no-restricted-properties': ['error', settingsOnlyInConfig],
      'no-restricted-imports': ['error', { ...forbiddenImports, paths: [...forbiddenImports.paths, readsAsACustomer] }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A class without members is how Nest declares a module.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // How a void result is passed on is a matter of reading, and the two rules contradict each other.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // DTOs are classes for Nest's sake; their values are plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Characters are counted by spreading a text into its code points.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // An empty text is as good as none wherever settings and upstreams' replies are read.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      // `as T` says what is known; a `!` does not.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // PostgreSQL's type numbers are an enum in the driver's types and plain numbers on the wire.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // `Promise.withResolvers<void>()` is how an event is awaited.
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-inferrable-types': ['error', { ignoreProperties: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Async is also how a function promises to reject rather than to throw.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['libs/**/*.ts', 'apps/{customer-api,operator,operator-api,worker}/**/*.ts'],
    ignores: [
      '**/*.spec.ts',
      // They compare the two clocks.
      'libs/platform/database/src/database-clock.service.ts',
      'libs/domains/ai/src/liveness/process-heartbeat.service.ts',
      // A log line has the time of its machine.
      'libs/platform/logging/src/{access-log,log-files}.ts',
      // An upstream may name the end of a pause as a date.
      'libs/platform/upstream/src/upstream-reply.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ...processClock] },
  },
  {
    // Statements that concern no customer (tokens, health, refused requests), or whose customer is not in context (functions of the ledger, delivery
    // reports).
    files: [
      'libs/platform/{access,tokens,refusals,database}/**',
      'libs/domains/ai/**',
      'libs/domains/sms/src/delivery-reports/delivery-reports.service.ts',
      'libs/platform/health/**',
      'test/**',
      '**/*.spec.ts',
    ],
    rules: { 'no-restricted-imports': ['error', forbiddenImports] },
  },
  {
    // Where settings are read; the launcher, which makes them for the others; what is measured and tested with them.
    files: ['libs/platform/config/**', 'apps/local/**', 'test/**', '**/*.spec.ts', 'jest.config.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['test/**', '**/*.spec.ts'],
    rules: {
      'no-console': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[object.name=/^(describe|it|test)$/][property.name=/^(only|skip|todo)$/]',
          message: 'Every test runs.',
        },
        {
          selector:
            'CallExpression[callee.property.name=/^toThrow(Error)?$/][arguments.length=0]:not([callee.object.property.name="not"])',
          message: 'Say what is thrown: an error of ours, or of the test, would pass as well.',
        },
      ],
      // Matchers such as expect.any() are typed any, and so is what a reply's JSON holds.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // Expectations name methods that are not called there.
      '@typescript-eslint/unbound-method': 'off',
      // Rows and replies are copied with a field changed; whatever class they were does not matter.
      '@typescript-eslint/no-misused-spread': 'off',
      // A test that is wrong about it fails.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Its packages are its own, and installed when it is built, which checks its types: no rules here that need them.
    files: ['apps/operator-console/**/*.{ts,tsx}'],
    extends: [typescript.configs.strict, typescript.configs.stylistic],
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // The compiler knows names, and React's too.
      'no-undef': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: {
        ...Object.fromEntries(
          ['process', 'console', 'require', '__dirname', 'performance', 'fetch', 'setInterval', 'clearInterval'].map(
            (name) => [name, 'readonly'],
          ),
        ),
        module: 'writable',
      },
    },
  },
);

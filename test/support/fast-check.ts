import fc from 'fast-check';

// `TEST_SEED` repeats the values that are tried, also when .ci/run runs a spec file once more.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });

export { fc };

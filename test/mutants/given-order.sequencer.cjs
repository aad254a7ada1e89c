const { resolve } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs specs in the order of `MUTANT_SPECS`. */
module.exports = class GivenOrderSequencer extends Sequencer {
  sort(tests) {
    const order = process.env.MUTANT_SPECS.split('\n').map((path) => resolve(path));
    return tests.toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
  }
};

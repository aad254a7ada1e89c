const { writeFileSync } = require('node:fs');

/** Writes the result of a jest run to the file that `MUTANT_REPORT` names, and ends the run at the first failure. */
module.exports = class FirstFailureReporter {
  broken = undefined;

  onTestCaseResult(_test, { status, fullName }) {
    if (status === 'failed') this.end({ failed: fullName });
  }

  onTestFileResult(_test, { testExecError, numFailingTests, failureMessage }) {
    if (numFailingTests > 0) this.end({ failed: failureMessage.slice(0, 200) });
    if (testExecError) this.broken ??= failureMessage.slice(0, 2000);
  }

  onRunComplete(_contexts, { numPassedTests }) {
    this.write({ passed: numPassedTests, broken: this.broken });
  }

  end(result) {
    this.write(result);
    process.exit(1);
  }

  write(result) {
    writeFileSync(process.env.MUTANT_REPORT, JSON.stringify(result));
  }
};

const { writeFileSync } = require('node:fs');

/** Writes the result of a jest run to the file that `MUTANT_REPORT` names, and ends the run at the first failure. */
module.exports = class FirstFailureReporter {
  broken = undefined;
  brokenSpec = undefined;

  // Which one runs, should the run be ended.
  onTestFileStart({ path }) {
    this.write({ spec: path });
  }

  onTestCaseResult({ path }, { status, fullName, failureMessages }) {
    if (status === 'failed') this.end({ failed: fullName, spec: path, why: failureMessages.join('\n').slice(0, 2000) });
  }

  onTestFileResult({ path }, { testExecError, numFailingTests, failureMessage }) {
    const why = failureMessage?.slice(0, 2000);
    if (numFailingTests > 0) this.end({ failed: failureMessage.slice(0, 200), spec: path, why });
    if (testExecError) {
      this.broken ??= why;
      this.brokenSpec ??= path;
    }
  }

  onRunComplete(_contexts, { numPassedTests }) {
    this.write({ passed: numPassedTests, broken: this.broken, spec: this.brokenSpec });
  }

  end(result) {
    this.write(result);
    process.exit(1);
  }

  write(result) {
    writeFileSync(process.env.MUTANT_REPORT, JSON.stringify(result));
  }
};

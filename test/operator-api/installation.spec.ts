import { operatorCommand } from '@test/operator-command';
import { logIn, startOperatorApi, type TestOperatorApi } from '@test/operator-api';

interface Check {
  check: string;
}

describe('GET /installation/checks', () => {
  let api: TestOperatorApi;
  beforeAll(async () => (api = await startOperatorApi()));
  afterAll(() => api.stop());

  it('has the checks of the command line, in their order', async () => {
    const admin = await logIn(api, 'admin');
    const reply = await admin.call('/installation/checks');
    const { data } = (await reply.json()) as { data: Check[] };
    const { stdout } = await operatorCommand(api.database, ['doctor', '--json']);
    const checksOf = (findings: Check[]) => findings.map(({ check }) => check);
    expect(checksOf(data)).toEqual(checksOf(JSON.parse(stdout) as Check[]));
    expect(checksOf(data)).toEqual(expect.arrayContaining(['AI provider', 'SMS gateway', 'Stripe', 'Fiken']));
  });
});

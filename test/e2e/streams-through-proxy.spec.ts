import { randomUUID } from 'node:crypto';
import { Metrics } from '@platform/metrics';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { askKeyed, eventsIn, type KeyedMessage, sendKeyed } from '@test/keyed-message';
import { describeWithNginx, type NginxProxy, startNginx } from '@test/nginx-proxy';
import { until } from '@test/until';

describeWithNginx('a stream through the proxy of the compose file', () => {
  let ai: AiApi;
  let proxy: NginxProxy;
  beforeAll(async () => {
    ai = await startAiApi({ AI_UPSTREAM_TIMEOUT_MS: '60000', SHUTDOWN_GRACE_MS: '2000' });
    proxy = await startNginx(ai.api.origin);
  });
  afterAll(async () => {
    await proxy.stop();
    await ai.stop();
  });
  afterEach(() => ai.sandbox.reset());

  const draining = async () => {
    const metric = ai.api.app.get(Metrics, { strict: false }).registry.getSingleMetric('ai_streams_detached');
    return (await metric?.get())?.values[0]?.value;
  };

  async function arrange(content: string) {
    const { token, customer } = await createAiCaller(ai);
    const message: KeyedMessage = {
      path: '/ai/v1/messages',
      stream: true,
      token: token.token,
      key: randomUUID(),
      content,
    };
    const usages = async () => {
      const sql = `select id, output_tokens as "outputTokens", streamed from ai_usage where customer_id = $1`;
      return (await ai.api.superuser.query<{ id: string }>(sql, [customer.id])).rows;
    };
    return { message, usages };
  }

  it('is read to its end and charged when its client hangs up, and replayed to whoever asks with its key', async () => {
    const { message, usages } = await arrange(
      '[[sandbox:output-tokens=40]][[sandbox:events=6]][[sandbox:event-delay=300]]',
    );
    const sent = sendKeyed(proxy.baseUrl, message);
    await sent.until((reply) => eventsIn(reply) >= 2);
    sent.lose();
    // The API knows at once: the proxy does not go on reading for nobody.
    await until(async () => (await draining()) === 1);
    expect(await usages()).toEqual([]);
    await until(async () => (await usages()).length > 0);
    expect(await usages()).toEqual([{ id: sent.reply.usageId, outputTokens: 40, streamed: true }]);
    const again = await askKeyed(proxy.baseUrl, message);
    expect(again).toMatchObject({ status: 200, replayed: true, whole: true, usageId: sent.reply.usageId });
    expect(again.body.subarray(0, sent.reply.body.length)).toEqual(sent.reply.body);
    expect(again.body.toString()).toContain('event: message_stop');
    expect(ai.sandbox.messages.total).toBe(1);
  });

  it('comes event by event, while the provider still sends', async () => {
    // The provider sends two events and then nothing: what waited for more would wait forever.
    const { message } = await arrange('[[sandbox:stream-hang=2]]');
    const sent = sendKeyed(proxy.baseUrl, message);
    await sent.until((reply) => eventsIn(reply) >= 2);
    expect(sent.reply).toMatchObject({ status: 200, whole: false });
    expect(eventsIn(sent.reply)).toBe(2);
    sent.lose();
  });
});

import { basename } from 'node:path';
import { PROVIDER_FIELDS, PROVIDER_TOOLS, SDK_FIELDS } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { CLIENTS, installClients } from '@test/client-packages';
import { readMessageRequest } from '@test/read-message-request';
import { readSdkTypes, type SdkTypes } from '@test/sdk-types';

const SDKS = ['node_modules/@anthropic-ai/sdk', `${CLIENTS}/node_modules/@anthropic-ai/sdk-0`].flatMap((sdk) => [
  { name: basename(sdk), prefix: '', path: `${sdk}/resources/messages/messages.d.ts` },
  { name: `${basename(sdk)}, beta`, prefix: 'Beta', path: `${sdk}/resources/beta/messages/messages.d.ts` },
]);
const hello = [{ role: 'user', content: 'Hello' }];
const read = (extra: object) =>
  readMessageRequest(Buffer.from(JSON.stringify({ messages: hello, ...extra })), 1e6, undefined, SDK_FIELDS);
const faultsOf = (extra: object) => {
  try {
    read(extra);
  } catch (error) {
    if (error instanceof ServiceError) return error.options.errors;
    throw error;
  }
  return [];
};

describe.each(SDKS)("What the provider's API takes, according to $name", ({ prefix, path }) => {
  const named = (name: string) => `${prefix}${name}`;
  let types: SdkTypes;
  let tools: string[];
  beforeAll(async () => {
    await installClients();
    types = readSdkTypes(path);
    tools = types.union(named('ToolUnion'));
  }, 300_000);

  it('has been judged, field by field', () => {
    const known = (place: keyof typeof PROVIDER_FIELDS, members: string[]) =>
      expect(members.filter((member) => !Object.hasOwn(PROVIDER_FIELDS[place], member))).toEqual([]);
    known('body', [...types.members('MessageCreateParamsBase'), ...types.members('MessageCountTokensParams')]);
    known('output_config', types.members(named('OutputConfig')));
    known(
      'thinking',
      types.union(named('ThinkingConfigParam')).flatMap((name) => types.members(name)),
    );
    expect(types.members('MessageCreateParamsBase').length).toBeGreaterThan(15);
  });

  it('has been judged, tool by tool', () => {
    const all = tools.flatMap((tool) => types.texts(tool, 'type'));
    expect(all.length).toBeGreaterThan(15);
    expect(all.filter((type) => !Object.hasOwn(PROVIDER_TOOLS, type))).toEqual([]);
    const ours = tools.filter((tool) => types.texts(tool, 'type').some((type) => PROVIDER_TOOLS[type] === 'client'));
    const members = ours.flatMap((tool) => types.members(tool));
    expect(members.filter((member) => !Object.hasOwn(PROVIDER_FIELDS.tool, member))).toEqual([]);
  });
});

describe('A request in the format of the provider', () => {
  it.each(Object.entries(PROVIDER_FIELDS.body).filter(([, rule]) => rule === 'unpriced'))(
    'is refused by name with %s, which has no price',
    (name) => {
      for (const value of [{}, 'x', true, 5, ['x']])
        expect(faultsOf({ [name]: value })).toEqual([
          { pointer: `/${name}`, detail: `${name} is not available here; leave it out` },
        ]);
      expect(faultsOf({ [name]: null })).toEqual([]);
    },
  );

  it.each(Object.entries(PROVIDER_TOOLS))('with a tool of the type %s: %s', (type, rule) => {
    const faults = faultsOf({
      tools: [
        { name: 'mine', input_schema: {} },
        { type, name: 'x', max_uses: 1 },
      ],
    });
    if (rule === 'client') expect(faults).toEqual([{ pointer: '/tools/1/max_uses', detail: expect.any(String) }]);
    else {
      const why = rule === 'beta' ? 'belong to a beta of the AI provider' : 'are not available here; leave them out';
      expect(faults).toEqual([{ pointer: '/tools/1/type', detail: expect.stringMatching(`${type} ${why}`) }]);
    }
    if (rule === 'unpriced') expect(faults![0]!.detail).toContain('are not available here');
  });

  it.each([
    [{ hologram: 1 }, '/hologram'],
    [{ tools: [{ name: 'a', hologram: 1 }] }, '/tools/0/hologram'],
    [{ tools: [{ type: 'hologram_20300101' }] }, '/tools/0/type'],
    [{ tools: [{ type: 5 }] }, '/tools/0/type'],
    [{ tools: ['x'] }, '/tools/0'],
    [{ tools: {} }, '/tools'],
    [{ tools: [{ name: 'a', allowed_callers: ['direct', 'code_execution_20260120'] }] }, '/tools/0/allowed_callers/1'],
    [{ tools: [{ name: 'a', allowed_callers: ['direct', {}] }] }, '/tools/0/allowed_callers/1'],
    [{ thinking: { type: 'enabled', hologram: 1 } }, '/thinking/hologram'],
    [{ thinking: { type: 'enabled', budget_tokens: 1024.5 } }, '/thinking/budget_tokens'],
    [{ thinking: { type: 'enabled', budget_tokens: 0 } }, '/thinking/budget_tokens'],
    [{ thinking: { type: 'enabled', budget_tokens: Number.MAX_VALUE } }, '/thinking/budget_tokens'],
    [{ output_config: { task_budget: { total: 5 } } }, '/output_config/task_budget'],
    [{ service_tier: 'priority' }, '/service_tier'],
    [{ stream: 'yes' }, '/stream'],
    [{ system: [{ type: 'image' }] }, '/system/0'],
  ])('is refused with %j', (extra, pointer) => {
    expect(faultsOf(extra)?.map((fault) => fault.pointer)).toEqual([pointer]);
  });

  it.each([
    [
      'a field of the body',
      '{"messages":[{"role":"user","content":"hi"}],"tools":[],"top_k":1,"tools":[{"type":"mcp_toolset"}]}',
    ],
    [
      'the type of a tool',
      '{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_fetch_20260318","type":"custom"}]}',
    ],
    ['the budget', '{"messages":[{"role":"user","content":"hi"}],"thinking":{"budget_tokens":1,"budget_tokens":9}}'],
  ])('is refused if %s is given twice', (_, body) => {
    expect(() => readMessageRequest(Buffer.from(body), 1e6, 7, SDK_FIELDS)).toThrow(/given twice/);
  });

  it('is forwarded byte for byte, except what has no effect here', () => {
    const options =
      '"tools":[ {"name":"a","input_schema":{"type":"object","file_id":{"ttl":"1h"}},"cache_control":{"type":"ephemeral"}} ],"tool_choice":{"type":"any"},"temperature":1.0,"stop_sequences":["\\u0041"],"thinking":{"type":"enabled","budget_tokens":1024},"output_config":{"effort":"low"},"service_tier":"auto","top_k":5,"top_p":null';
    const body = `{"model":"x",${options},"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"hi"}],"stream":true}`;
    for (const size of [1, 5, body.length]) {
      const request = readMessageRequest(Buffer.from(body), 1e6, size, SDK_FIELDS);
      const forwarded = request.options.map(({ name, json }) => `"${name}":${Buffer.concat(json).toString()}`);
      expect(forwarded.join(',')).toBe(options.replace(',"top_p":null', ''));
      expect(request).toMatchObject({ stream: true, thinkingTokens: 1024, cache: '5m' });
    }
  });

  it.each([
    ['none', { input_examples: [{ ttl: '1h' }], input_schema: { type: 'object', cache_control: { ttl: '1h' } } }],
    ['none', { cache_control: null }],
    ['5m', { cache_control: { type: 'ephemeral' }, allowed_callers: ['direct'] }],
    ['1h', { cache_control: { type: 'ephemeral', ttl: '1h' }, input_examples: [{}] }],
  ])(
    'caches for %s with a tool that has %j: only its own cache_control counts, and only its callers are judged',
    (cache, more) => {
      expect(read({ tools: [{ name: 'a', ...more }] }).cache).toBe(cache);
    },
  );

  it('is bounded with all that it costs: tools, their prompt, those that the provider defines, a schema, system blocks', () => {
    const bound = (extra: object) => read(extra).inputTokens;
    const plain = bound({});
    const tool = { name: 'a', description: 'd'.repeat(1000), input_schema: { type: 'object' } };
    expect(bound({ tools: [tool] })).toBeGreaterThan(plain + 1000 + 804);
    expect(bound({ tools: [{ type: 'bash_20250124', name: 'bash' }] })).toBeGreaterThan(plain + 10_000);
    expect(
      bound({ output_config: { format: { type: 'json_schema', schema: { d: 'd'.repeat(1000) } } } }),
    ).toBeGreaterThan(plain + 1804);
    expect(bound({ system: [{ type: 'text', text: 's'.repeat(1000) }] })).toBeGreaterThan(plain + 1000);
    expect(read({ system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }] }).cache).toBe(
      '1h',
    );
    expect(read({ cache_control: { type: 'ephemeral' } }).cache).toBe('5m');
  });
});

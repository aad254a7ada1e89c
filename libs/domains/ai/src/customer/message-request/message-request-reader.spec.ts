import { type RequestFields, SDK_FIELDS } from './request-fields';
import { ServiceError } from '@platform/errors';
import { readMessageRequest } from '@test/read-message-request';
import { DETAILS } from './request-judges';

const CONTEXT = 1_000_000;
const read = (body: unknown, rules?: RequestFields) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = Buffer.from(text);
  return readMessageRequest(bytes, CONTEXT, bytes.length, rules);
};
const withBlocks = (...content: unknown[]) => read({ messages: [{ role: 'user', content }] });
const detailedFaultsOf = (body: unknown, rules?: RequestFields) => {
  try {
    read(body, rules);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return error.options.errors ?? [];
    throw error;
  }
  return [];
};
const faultsOf = (body: unknown, rules?: RequestFields) => detailedFaultsOf(body, rules).map(({ pointer }) => pointer);
const hello = { role: 'user', content: 'Hello' };
const text = { type: 'text', text: 'Hello' };

describe('readMessageRequest', () => {
  it('passes messages and system on byte for byte', () => {
    const messages =
      '[ {"role":"user","content":[{"type":"text","text":"h\\u00e9","x":1.0,"x":12345678901234567890}]} ]';
    const request = read(`{"model":"mine","system" : "S\\n","messages":${messages},"temperature":2}`);
    expect(Buffer.concat(request.messages).toString()).toBe(messages);
    expect(Buffer.concat(request.system ?? []).toString()).toBe('"S\\n"');
  });

  it.each([
    ['no messages', {}, ['/messages']],
    ['messages of another type', { messages: 'hi' }, ['/messages']],
    ['no message', { messages: [] }, ['/messages']],
    ['too many messages', { messages: Array(100_001).fill(hello) }, ['/messages']],
    [
      'a message that is no object',
      { messages: [hello, 'hi', null, [hello]] },
      ['/messages/1', '/messages/2', '/messages/3'],
    ],
    ['no role', { messages: [{ content: 'hi' }] }, ['/messages/0/role']],
    ['an unknown role', { messages: [{ role: 'tool', content: 'hi' }] }, ['/messages/0/role']],
    ['no content', { messages: [{ role: 'user' }] }, ['/messages/0/content']],
    ['content of another type', { messages: [{ role: 'user', content: 5 }] }, ['/messages/0/content']],
    ['content that is one block', { messages: [{ role: 'user', content: text }] }, ['/messages/0/content']],
    [
      'empty content',
      {
        messages: [
          { role: 'user', content: '' },
          { role: 'user', content: [] },
        ],
      },
      ['/messages/0/content', '/messages/1/content'],
    ],
    [
      'an empty answer that is not the last message',
      { messages: [hello, { role: 'assistant', content: '' }, hello, { role: 'assistant', content: [] }, 'hi'] },
      ['/messages/1/content', '/messages/3/content', '/messages/4'],
    ],
    ['a block that is no object', { messages: [{ role: 'user', content: [text, 'hi'] }] }, ['/messages/0/content/1']],
    ['a block that is a list', { messages: [{ role: 'user', content: [text, [text]] }] }, ['/messages/0/content/1']],
    ['a block without a type', { messages: [{ role: 'user', content: [{ text: 'hi' }] }] }, ['/messages/0/content/0']],
    ['a system of another type', { messages: [hello], system: { text } }, ['/system']],
    [
      'blocks of the system that are no texts',
      { messages: [hello], system: [text, 'hi', { text: 'no type' }, { type: 'image' }, [text]] },
      ['/system/1', '/system/2', '/system/3', '/system/4'],
    ],
    ['tools', { messages: [hello], tools: [{ name: 'a' }] }, ['/tools']],
    ['tools of another type', { messages: [hello], tools: 'x' }, ['/tools']],
    ['max_tokens of 0', { messages: [hello], max_tokens: 0 }, ['/max_tokens']],
    ['max_tokens with decimals', { messages: [hello], max_tokens: 1.5 }, ['/max_tokens']],
    ['max_tokens as a text', { messages: [hello], max_tokens: '5' }, ['/max_tokens']],
    ['max_tokens of null', { messages: [hello], max_tokens: null }, ['/max_tokens']],
    [
      'a file of the workspace',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
      ['/messages/0/content/0/source'],
    ],
    [
      'an upload to a container',
      { messages: [{ role: 'user', content: [{ type: 'container_upload' }] }] },
      ['/messages/0/content/0'],
    ],
    [
      'a file in a tool result',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', content: [{ type: 'document', source: { file_id: 'f' } }] }],
          },
        ],
      },
      ['/messages/0/content/0/content/0/source'],
    ],
    [
      'a file that is named otherwise than by a text',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { file_id: ['f'] } }] }] },
      ['/messages/0/content/0/source'],
    ],
    [
      'a file in the citations of a document',
      { messages: [{ role: 'user', content: [{ type: 'document', citations: { file_id: 'f' } }] }] },
      ['/messages/0/content/0/citations'],
    ],
    [
      'a file that is called null',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { file_id: 'null' } }] }] },
      ['/messages/0/content/0/source'],
    ],
  ])('refuses %s', (_, body, pointers) => {
    expect(faultsOf(body)).toEqual(pointers);
  });

  it.each([
    [
      'conversations',
      { messages: [hello, { role: 'assistant', content: [text] }, { role: 'system', content: 'Be brief' }, hello] },
    ],
    ['an empty beginning of the answer', { messages: [hello, { role: 'assistant', content: '' }] }],
    [
      'fields that are not ours',
      { messages: [hello], model: 5, stream: null, system: null, tools: [], thinking: 5, customer_id: 'other' },
    ],
    ['a system of blocks', { messages: [hello], system: [text] }],
    ['max_tokens written as 1e3', '{"messages":[{"role":"user","content":"hi"}],"max_tokens":1e3}'],
    [
      "a tool's input that speaks of files",
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: { file_id: 'mine' } }] }] },
    ],
    [
      'the citations of an answer, which name no file',
      {
        messages: [
          hello,
          {
            role: 'assistant',
            content: [{ ...text, citations: [{ type: 'char_location', cited_text: 'a', file_id: null }] }],
          },
          hello,
        ],
      },
    ],
  ])('accepts %s', (_, body) => {
    expect(faultsOf(body)).toEqual([]);
  });

  it.each([
    ['messages', '{"messages":[],"messages":[{"role":"user","content":"hi"}]}', ['/messages', '/messages']],
    ['system', '{"system":"a","messages":[{"role":"user","content":"hi"}],"system":"b"}', ['/system']],
    [
      'max_tokens, once escaped',
      '{"messages":[{"role":"user","content":"hi"}],"max_tokens":1,"max_\\u0074okens":9}',
      ['/max_tokens'],
    ],
    ['role', '{"messages":[{"role":"user","role":"user","content":"hi"}]}', ['/messages/0/role']],
    ['content', '{"messages":[{"role":"user","content":"hi","content":"ho"}]}', ['/messages/0/content']],
    [
      'type',
      '{"messages":[{"role":"user","content":[{"type":"text","type":"document"}]}]}',
      ['/messages/0/content/0/type'],
    ],
    [
      'source',
      '{"messages":[{"role":"user","content":[{"type":"image","source":{},"source":{}}]}]}',
      ['/messages/0/content/0/source'],
    ],
    [
      'file_id',
      '{"messages":[{"role":"user","content":[{"type":"text","x":[{"file_id":1,"file_id":2}]}]}]}',
      ['/messages/0/content/0/x/0/file_id'],
    ],
    [
      'ttl',
      '{"messages":[{"role":"user","content":[{"type":"text","cache_control":{"ttl":"1h","ttl":"5m"}}]}]}',
      ['/messages/0/content/0/cache_control/ttl'],
    ],
  ])('refuses %s given twice', (_, body, pointers) => {
    expect(faultsOf(body)).toEqual(pointers);
  });

  it.each([
    ['ignored', undefined],
    ['null', SDK_FIELDS],
  ])('refuses messages given twice after any number of fields that are %s', (_, rules) => {
    const fields = Array.from({ length: 1_100 }, (__, at) => `"x${at}":null`).join(',');
    const messages = '"messages":[{"role":"user","content":"hi"}]';
    expect(faultsOf(`{${fields},${messages},${messages}}`, rules)).toContain('/messages');
  });

  describe('reports 20 faults of a hostile body, and describes no others', () => {
    const many = 150_000;
    const names = Array.from({ length: many }, (_, at) => `"x${at}":1`).join(',');
    const withField = (field: string) => `{"messages":[{"role":"user","content":"hi"}],${field}}`;
    const twice = Array<string>(many).fill('"type":1').join(',');
    const nested = `${'{"x/~":'.repeat(90)}{${twice}}${'}'.repeat(90)}`;
    let described: jest.SpyInstance[];
    beforeEach(() => (described = [jest.spyOn(DETAILS, 'unknown'), jest.spyOn(DETAILS, 'twice')]));
    afterEach(() => jest.restoreAllMocks());

    it.each([
      ['unknown fields', withField(names)],
      ['unknown members of a tool', withField(`"tools":[{"name":"a",${names}}]`)],
      ['unknown members of thinking', withField(`"thinking":{${names}}`)],
      ['fields given twice', withField(Array<string>(many).fill('"stream":true').join(','))],
      ['members given twice in depth', `{"messages":[{"role":"user","content":[{"type":"text","x":${nested}}]}]}`],
      ['callers of a tool', withField(`"tools":[{"name":"a","allowed_callers":[${'1,'.repeat(many)}1]}]`)],
    ])('with %s', (_, body) => {
      expect(faultsOf(body, SDK_FIELDS)).toHaveLength(20);
      for (const { mock } of described) expect(mock.calls.length).toBeLessThanOrEqual(20);
    });

    it('without those behind one whose place takes long to write', () => {
      const deep = `${`{"${'/~'.repeat(60)}":`.repeat(90)}{${twice}}${'}'.repeat(90)}`;
      const body = `{"messages":[{"role":"user","content":[{"type":"text","x":${deep}}]}],"stream":1}`;
      expect(faultsOf(body, SDK_FIELDS)).toEqual([
        expect.stringMatching(/^.messages.0.content.0.x(.(~1~0){60}){90}.type$/),
      ]);
    });

    it('with unknown members of many tools, be their types refused or not', () => {
      const members = names.slice(0, names.indexOf('"x50"'));
      const tools = ['web_search_20250305', 'custom'].map((type) => `{${members}"type":"${type}"}`);
      expect(faultsOf(withField(`"tools":[${Array(2_000).fill(tools).flat().join(',')}]`), SDK_FIELDS)).toHaveLength(
        20,
      );
      expect(described[0]?.mock.calls.length).toBeLessThanOrEqual(20 * 20);
    });
  });

  it.each(['constructor', '__proto__', 'toString'])('knows no field for %s, which every object has', (name) => {
    const body = `{"messages":[{"role":"user","content":"hi"}],"${name}":1}`;
    const detail = `${name} is not known here; leave it out`;
    expect(detailedFaultsOf(body, SDK_FIELDS)).toEqual([{ pointer: `/${name}`, detail }]);
  });

  it('takes different long names that decide nothing for different ones, also beside one that is written as they are shown', () => {
    const body = `{"…":1,"${'x'.repeat(500)}":1,"${'y'.repeat(500)}":1,"messages":[{"role":"user","content":"hi"}]}`;
    expect(faultsOf(body)).toEqual([]);
  });

  it('lets names be given twice where they decide nothing', () => {
    const tool = '{"type":"tool_use","input":{"type":1,"type":2},"id":"a","id":"b"}';
    expect(
      faultsOf(`{"a":{"role":1,"role":2},"messages":[{"role":"assistant","x":1,"x":2,"content":[${tool}]}]}`),
    ).toEqual([]);
  });

  it('judges names of any length, and texts', () => {
    const long = 'x'.repeat(500);
    expect(
      faultsOf({ [long]: 1, messages: [{ role: long, content: [{ type: long, [long]: { ttl: long } }] }] }),
    ).toEqual(['/messages/0/role']);
  });

  it('reads the same from a body in pieces of any size', () => {
    const body = Buffer.from(
      JSON.stringify({
        system: 'Sæ\n',
        messages: [
          hello,
          { role: 'assistant', content: [{ ...text, cache_control: { ttl: '1h' } }] },
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', data: 'QUJD'.repeat(50) } },
              { type: 'tool_result', content: [text] },
            ],
          },
        ],
        max_tokens: 77,
      }),
    );
    const whole = readMessageRequest(body, CONTEXT);
    expect(whole).toMatchObject({ maxTokens: 77, cache: '1h' });
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      const { messages, system, ...rest } = readMessageRequest(body, CONTEXT, size);
      expect(rest).toEqual({ maxTokens: 77, cache: '1h', inputTokens: whole.inputTokens, options: [], stream: false });
      expect(Buffer.concat(messages)).toEqual(Buffer.concat(whole.messages));
      expect(Buffer.concat(system ?? []).toString()).toBe('"Sæ\\n"');
    }
  });

  describe('bounds the input', () => {
    it('by the bytes of its text, never below the number of byte-sized tokens', () => {
      for (const content of ['a'.repeat(1000), '€'.repeat(500), '\n"\\'.repeat(300), '\u{1f600}'.repeat(200)]) {
        const { inputTokens } = read({ messages: [{ role: 'user', content }], system: content });
        expect(inputTokens).toBeGreaterThanOrEqual(2 * Buffer.byteLength(content));
        expect(inputTokens).toBeLessThan(4 * Buffer.byteLength(content) + 400);
      }
    });

    it.each<[string, Record<string, unknown>, number]>([
      ['nothing else', {}, 0],
      ['a sampling option', { top_k: 5 }, 0],
      ['a tool', { tools: [{ name: 'look_up', input_schema: { type: 'object' } }] }, 2_048],
      ['a tool whose type is null', { tools: [{ type: null, name: 'look_up', input_schema: {} }] }, 2_048],
      ['a tool of the provider', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, 2_048 + 32_768],
      ['a schema', { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }, 2_048],
    ])('by no more than there can be with %s', (_, more, prompts) => {
      const messages = [{ role: 'user', content: 'Hello' }];
      const optionBytes = Object.values(more).reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0);
      const expected = 256 + JSON.stringify(messages).length + 4 * optionBytes + prompts;
      const body = Buffer.from(JSON.stringify({ messages, ...more }));
      expect(readMessageRequest(body, CONTEXT, body.length, SDK_FIELDS).inputTokens).toBe(expected);
    });

    it('by the size that an image can have, not by the bytes that spell it', () => {
      const small = withBlocks({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(8) },
      });
      const large = withBlocks({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4_000_000) },
      });
      const remote = withBlocks({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } });
      const elsewhere = withBlocks({ type: 'image', source: { type: 'url', url: 'u', data: 'A'.repeat(100_000) } });
      // Such data is no image: what it would be read as is not known.
      expect(elsewhere.inputTokens).toBeGreaterThan(100_000);
      expect(small.inputTokens).toBe(large.inputTokens);
      for (const { inputTokens } of [small, large, remote]) expect(inputTokens).toBeGreaterThan(4_784);
      for (const { inputTokens } of [small, large, remote]) expect(inputTokens).toBeLessThan(5_500);
    });

    it('by images inside tool results and documents too', () => {
      const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
      const { inputTokens } = withBlocks(
        { type: 'tool_result', tool_use_id: 't', content: [image, image] },
        { type: 'document', source: { type: 'content', content: [image] } },
      );
      expect(inputTokens).toBeGreaterThan(3 * 4_784);
    });

    it.each([
      ['a tool call', { type: 'tool_use', id: 't', name: 'look_up', input: { keys: Array(200).fill('k') } }],
      ['its result', { type: 'tool_result', tool_use_id: 't', content: 'k'.repeat(1000) }],
    ])('by more than its JSON for %s: the model sees a longer form', (_, block) => {
      const bytes = Buffer.byteLength(JSON.stringify(block));
      expect(withBlocks({ ...text, text: 'k'.repeat(bytes) }).inputTokens).toBeLessThan(2 * bytes);
      expect(withBlocks(block).inputTokens).toBeGreaterThan(4 * bytes);
    });

    const cited = (enabled: string, more = '') =>
      `{"type":"document","source":{"type":"text","data":"${'k'.repeat(1000)}"},"citations":{"enabled":${enabled}}${more}}`;
    it.each([
      ['a document', cited('true'), true],
      ['a search result', cited('true').replace('document', 'search_result'), true],
      ['a document in a result', `{"type":"tool_result","content":[${cited('true')}]}`, true],
      ['a document that says so once', cited('true', ',"citations":{"enabled":false}'), true],
      ['a document that says both', cited('true,"enabled":false'), true],
      ['no document', cited('false'), false],
      ['a document of null', cited('false', ',"citations":null'), false],
      [
        'texts of an answer before',
        `{"type":"text","text":"${'k'.repeat(1000)}","citations":[{"enabled":true}]}`,
        false,
      ],
    ])('by more than its JSON where the answer may cite %s, which the model sees in pieces', (_, block, citations) => {
      const request = read(`{"messages":[{"role":"user","content":[${block}]}]}`);
      expect(request.citations ?? false).toBe(citations);
      if (citations) expect(request.inputTokens).toBeGreaterThan(2_048 + 4 * block.length);
      else expect(request.inputTokens).toBeLessThan(2 * block.length);
    });

    it.each([
      ['a PDF', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }],
      ['a PDF elsewhere', { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }],
      ['an unknown block', { type: 'hologram' }],
    ])('by the context window for %s', (_, block) => {
      expect(withBlocks(block).inputTokens).toBe(CONTEXT);
    });
  });

  it.each([
    ['none', {}],
    ['5m', { cache_control: { type: 'ephemeral' } }],
    ['5m', { cache_control: { type: 'ephemeral', ttl: '5m' } }],
    ['1h', { cache_control: { type: 'ephemeral', ttl: '1h' } }],
    ['none', { cache_control: null }],
  ])('sees that caching is %s', (cache, extra) => {
    expect(withBlocks({ ...text, ...extra }).cache).toBe(cache);
    expect(withBlocks({ type: 'tool_result', content: [{ ...text, ...extra }] }).cache).toBe(cache);
  });

  it('reports the dearer kind of cache when both are requested', () => {
    const [short, long] = ['5m', '1h'].map((ttl) => ({ ...text, cache_control: { type: 'ephemeral', ttl } }));
    expect(withBlocks(short, long).cache).toBe('1h');
    expect(withBlocks(long, short).cache).toBe('1h');
  });
});

/**
 * The treatment of a request's field:
 * - `own`: the service reads it itself;
 * - `forwarded`: passed on to the provider byte for byte; its cost is priced per token;
 * - `ignored`: has no effect;
 * - `unpriced`: refused, because it costs other than per token, or concerns the operator's workspace;
 * - `beta`: refused, because the provider takes it only with a beta, and betas can change a call's cost;
 * - `elsewhere`: refused, unless it is empty: another address takes it;
 * - `unknown`: refused, because nobody has judged it.
 */
export type FieldRule = 'own' | 'forwarded' | 'ignored' | 'unpriced' | 'beta' | 'elsewhere' | 'unknown';

/** Whether a field of the body is refused with any value; null and an empty array count as not given. */
export function isRefused(rule: FieldRule | undefined): rule is 'unpriced' | 'beta' | 'unknown' {
  return rule === 'unpriced' || rule === 'beta' || rule === 'unknown';
}

/** An object of a request whose members have rules. */
export type JudgedPlace = 'body' | 'tool' | 'thinking' | 'output_config';

/** The rules of an address for the fields of its requests. */
export interface RequestFields {
  ruleOf(place: JudgedPlace, name: string): FieldRule;
  /** Names of the fields of the body. */
  readonly known: readonly string[];
}

const OWN = new Set(['messages', 'system', 'max_tokens', 'stream']);

/** The customer API's own form of a request: unknown fields are ignored, as everywhere in it. */
export const PLAIN_FIELDS: RequestFields = {
  ruleOf: (_place, name) => (OWN.has(name) ? 'own' : name === 'tools' ? 'elsewhere' : 'ignored'),
  known: [...OWN],
};

/** Every field of the provider's API, betas included, by the object that has it. A test compares it with its SDKs. */
export const PROVIDER_FIELDS: Record<JudgedPlace, Record<string, FieldRule>> = {
  body: {
    messages: 'own',
    system: 'own',
    max_tokens: 'own',
    stream: 'own',
    // The operator fixes the model.
    model: 'ignored',
    // Identifies the end user to the provider, which has no use for our customers' users.
    metadata: 'ignored',
    cache_control: 'forwarded',
    output_config: 'forwarded',
    service_tier: 'forwarded',
    stop_sequences: 'forwarded',
    temperature: 'forwarded',
    thinking: 'forwarded',
    tool_choice: 'forwarded',
    tools: 'forwarded',
    top_k: 'forwarded',
    top_p: 'forwarded',
    billing_policy: 'unpriced',
    compaction: 'unpriced',
    container: 'unpriced',
    context_management: 'unpriced',
    diagnostics: 'unpriced',
    fallback_credit_token: 'unpriced',
    fallbacks: 'unpriced',
    inference_geo: 'unpriced',
    mcp_servers: 'unpriced',
    speed: 'unpriced',
    thread: 'unpriced',
    user_profile_id: 'unpriced',
    workspace_id: 'unpriced',
    betas: 'beta',
    output_format: 'beta',
  },
  tool: {
    allowed_callers: 'forwarded',
    cache_control: 'forwarded',
    configs: 'forwarded',
    defer_loading: 'forwarded',
    description: 'forwarded',
    eager_input_streaming: 'forwarded',
    input_examples: 'forwarded',
    input_schema: 'forwarded',
    max_characters: 'forwarded',
    name: 'forwarded',
    strict: 'forwarded',
    type: 'forwarded',
    display_height_px: 'beta',
    display_number: 'beta',
    display_width_px: 'beta',
    enable_zoom: 'beta',
  },
  thinking: { type: 'forwarded', budget_tokens: 'forwarded', display: 'forwarded', block_binding: 'beta' },
  output_config: { effort: 'forwarded', format: 'forwarded', task_budget: 'beta' },
};

/** The provider's form of a request, as its SDKs send it. Unknown fields are refused: to ignore one silently would be wrong. */
export const SDK_FIELDS: RequestFields = {
  ruleOf: (place, name) =>
    (Object.hasOwn(PROVIDER_FIELDS[place], name) ? PROVIDER_FIELDS[place][name] : undefined) ?? 'unknown',
  known: Object.entries(PROVIDER_FIELDS.body).flatMap(([name, rule]) =>
    rule === 'own' || rule === 'forwarded' ? name : [],
  ),
};

/** The rule for a type of tool: run by the caller, run by the provider (and billed by use), or behind a beta. */
export type ToolRule = 'client' | 'unpriced' | 'beta';

/** Every type of tool of the provider's API. A test compares it with the types of its SDKs. */
export const PROVIDER_TOOLS: Record<string, ToolRule> = {
  custom: 'client',
  bash_20250124: 'client',
  browser_toolset_20260801: 'client',
  computer_toolset_20260801: 'client',
  memory_20250818: 'client',
  text_editor_20250124: 'client',
  text_editor_20250429: 'client',
  text_editor_20250728: 'client',
  advisor_20260301: 'unpriced',
  code_execution_20250522: 'unpriced',
  code_execution_20250825: 'unpriced',
  code_execution_20260120: 'unpriced',
  code_execution_20260521: 'unpriced',
  mcp_toolset: 'unpriced',
  tool_search_tool_bm25: 'unpriced',
  tool_search_tool_bm25_20251119: 'unpriced',
  tool_search_tool_regex: 'unpriced',
  tool_search_tool_regex_20251119: 'unpriced',
  web_fetch_20250910: 'unpriced',
  web_fetch_20260209: 'unpriced',
  web_fetch_20260309: 'unpriced',
  web_fetch_20260318: 'unpriced',
  web_search_20250305: 'unpriced',
  web_search_20260209: 'unpriced',
  web_search_20260318: 'unpriced',
  bash_20241022: 'beta',
  computer_20241022: 'beta',
  computer_20250124: 'beta',
  computer_20251124: 'beta',
  text_editor_20241022: 'beta',
};

/** The rule of a type of tool; undefined if it is not known. */
export function toolRule(type: string): ToolRule | undefined {
  return Object.hasOwn(PROVIDER_TOOLS, type) ? PROVIDER_TOOLS[type] : undefined;
}

import { ChatAnthropic } from '@langchain/anthropic';

/** Messages to send with LangChain, each with a token. */
interface Asked {
  baseUrl: string;
  messages: { token: string; prompt: string; how: 'invoke' | 'stream' }[];
}

/** The text that came of a message, and its error as an application sees it. */
interface Outcome {
  text: string;
  error?: { name: string; status: unknown; message: string };
}

const { baseUrl, messages } = JSON.parse(process.env['CALLER'] ?? '') as Asked;
const outcomes: Outcome[] = [];
for (const { token, prompt, how } of messages) {
  const model = new ChatAnthropic({
    model: 'theirs',
    apiKey: token,
    anthropicApiUrl: `${baseUrl}/ai`,
    maxTokens: 50,
    maxRetries: 0,
  });
  const outcome: Outcome = { text: '' };
  try {
    if (how === 'invoke') outcome.text = (await model.invoke(prompt)).text;
    else for await (const piece of await model.stream(prompt)) outcome.text += piece.text;
  } catch (error) {
    const { name, message, status } = error as Error & { status?: unknown };
    outcome.error = { name, status, message };
  }
  outcomes.push(outcome);
}
console.log(JSON.stringify(outcomes));

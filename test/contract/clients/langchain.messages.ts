import { ChatAnthropic } from '@langchain/anthropic';

/** Messages to send with LangChain, each with a token. */
interface Asked {
  baseUrl: string;
  messages: { token: string; prompt: string }[];
}

/** What came of a message: its text, whole and streamed, or its error as an application sees it. */
interface Outcome {
  text?: string;
  streamed?: string;
  error?: { name: string; status: unknown; message: string };
}

const { baseUrl, messages } = JSON.parse(process.env['CALLER'] ?? '') as Asked;
const outcomes: Outcome[] = [];
for (const { token, prompt } of messages) {
  const model = new ChatAnthropic({
    model: 'theirs',
    apiKey: token,
    anthropicApiUrl: `${baseUrl}/ai`,
    maxTokens: 50,
    maxRetries: 0,
  });
  try {
    const { text } = await model.invoke(prompt);
    let streamed = '';
    for await (const piece of await model.stream(prompt)) streamed += piece.text;
    outcomes.push({ text, streamed });
  } catch (error) {
    const { name, message, status } = error as Error & { status?: unknown };
    outcomes.push({ error: { name, status, message } });
  }
}
console.log(JSON.stringify(outcomes));

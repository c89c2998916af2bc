// Questions to the server. Of questions of one kind only the newest is answered: older ones are given up.

const underWay = new Map();

async function ask(kind, address, options) {
  underWay.get(kind)?.abort();
  const control = new AbortController();
  underWay.set(kind, control);
  try {
    const response = await fetch(address, { ...options, signal: control.signal });
    const answer = await response.json();
    return control.signal.aborted ? null : answer;
  } catch (trouble) {
    if (control.signal.aborted) return null;
    return { error: "The server does not answer. Is it still running?" };
  }
}

/** The answer as an object; one with `error` where there is trouble; null where a newer question was asked. */
export function post(kind, question) {
  const headers = { "Content-Type": "application/json" };
  return ask(kind, `api/${kind}`, { method: "POST", headers, body: JSON.stringify(question) });
}

export function get(kind, parameters = {}) {
  return ask(kind, `api/${kind}?${new URLSearchParams(parameters)}`, {});
}

/** Gives up a question that is no longer of interest. */
export function forget(...kinds) {
  for (const kind of kinds) underWay.get(kind)?.abort();
}

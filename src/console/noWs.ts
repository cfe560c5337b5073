/** Stands where the client would load `ws`, which it does only where there is no WebSocket: never in a browser. */
export const WebSocket = undefined;

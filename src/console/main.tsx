import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { knock } from "./store/app.js";

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
void knock();

// Runs before the first paint, to avoid a flash of the other theme. The choice is not sensitive.
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;

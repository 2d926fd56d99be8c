// Before the first paint, so that nobody who has chosen dark sees a flash of light. The choice is no secret.
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;

import { count, next } from "./state.js";
import { told } from "words";

const output = document.getElementById("count");
document.getElementById("up").addEventListener("click", async () => {
  next();
  const { celebrate } = await import("./later.js");
  output.textContent = celebrate(told(count()));
});

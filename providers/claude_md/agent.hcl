# CLAUDE.md files: those above the work at once, the others when work reaches their directory.
required_providers {
  claude-md = { source = "github.com/agentco/context-claude-md", version = "~> 0.1" }
}

# Every attribute may be left out; an empty block is a complete configuration.
provider "claude-md" {
  scopes       = ["user", "project", "local", "rules", "nested"]
  import_roots = ["~/shared/conventions"]
  exclude      = ["node_modules/**", "legacy/**"]
  token_budget = 1600

  # What is declared is the only file that is read, and must be there:
  # path = "CLAUDE.md"
}

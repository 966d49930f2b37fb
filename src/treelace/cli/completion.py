"""`treelace completion`: shell completion."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Prints the script that teaches SHELL to complete treelace's commands and options.

    \b
    Examples:
      eval "$(treelace completion bash)"                            in ~/.bashrc
      eval "$(treelace completion zsh)"                             in ~/.zshrc
      treelace completion fish > ~/.config/fish/completions/treelace.fish
    """
    from click.shell_completion import get_completion_class

    from treelace.cli import program

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(completion(program, {}, "treelace", "_TREELACE_COMPLETE").source())
